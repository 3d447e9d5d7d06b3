/**
 * Tests that return early, and so pass, when discovery does not list the versions of their custom
 * resource. Such a pass counts only if the log has the steps that come after.
 */

/** A part of a test's name, and steps that a complete run logs. */
const LATER_STEPS: readonly (readonly [test: string, steps: readonly string[]])[] = [
  [
    'CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert from CR v1 to CR v2',
    ['Creating a v1 custom resource', 'v2 custom resource should be converted'],
  ],
  [
    'CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert a non homogeneous list of CRs',
    [
      'Creating a v1 custom resource',
      'Create a v2 custom resource',
      'List CRs in v1',
      'List CRs in v2',
    ],
  ],
  [
    'CustomResourceFieldSelectors MUST list and watch custom resources matching the field selector',
    [
      'Watching with field selectors',
      'Listing v2 custom resources with field selector host=host1,port=80',
      'Waiting for v2 informer events after updates and deletes for field selector host=host1,port=80',
    ],
  ],
];

/** The steps that a passed test has not logged; none for a test that cannot return early. */
export function missingSteps(test: string, log: string): readonly string[] {
  const [, steps = []] = LATER_STEPS.find(([part]) => test.includes(part)) ?? [];
  return steps.filter((step) => !log.includes(`STEP: ${step} `));
}

/** Each must name a test that exists. */
export const HOLLOW_TESTS: readonly string[] = LATER_STEPS.map(([part]) => part);
