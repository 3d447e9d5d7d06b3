import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import { structOf } from '../../../api/schema/schema.ts';
import { semanticallyEqual } from '../../../api/values/semantic-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { invalid } from '../../objects/status.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';
import { validateAnnotations, validateLabels } from '../../../api/validation/labels.ts';
import { defaultPod } from '../../../api/pod-validation/defaults/pod-defaults.ts';
import { POD } from './definition.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './preparation.ts';
import {
  applyRecordedPatch,
  creationsIn,
  stepsOf,
  withAdmittedTolerations,
  withoutAdmission,
} from './recorded-answers.ts';
import type { RecordedStep } from './recorded-answers.ts';
import { validatePodStatusUpdate } from './status/status-validation.ts';
import { POD_SUBRESOURCES } from './subresources.ts';
import { validatePod, validatePodUpdate } from '../../../api/pod-validation/pod-validation.ts';

const SCENARIOS = [
  'pod-defaults',
  'pod-invalid',
  'pod-updates',
  'pod-tables',
  'pod-deletion',
  'pod-binding-and-eviction',
  'lists-and-selectors',
];

function nameIn({ request: { body } }: RecordedStep): string {
  return readText(readStruct(body?.['metadata'])['name']);
}

/** What the registry reports before it calls the kind's rules. */
function metadataErrors(pod: JsonObject): readonly FieldError[] {
  const { labels, annotations } = readStruct(pod['metadata']);
  return [
    ...validateLabels(labels, 'metadata.labels'),
    ...validateAnnotations(annotations, 'metadata.annotations'),
  ];
}

describe.each(SCENARIOS)('pods that kube-apiserver created in %s', (scenario) => {
  const created = creationsIn(scenario).filter(({ response }) => response.code === 201);

  test.each(created.map((step) => [nameIn(step), step] as const))(
    '%s has the same defaults here',
    (_name, { request, response }) => {
      const { creationTimestamp = null } = readStruct(response.body['metadata']);
      const metadata = { ...readStruct(request.body?.['metadata']), creationTimestamp };
      const body = deepFreeze({ ...request.body, metadata });
      const pod = prepareForCreate(defaultPod(body));
      expect(withoutAdmission(pod)).toEqual(withoutAdmission(response.body));
    },
  );

  test.each(created.map((step) => [nameIn(step), step] as const))(
    '%s is valid here too, and complete',
    (_name, { response }) => {
      const pod = deepFreeze(response.body);
      expect(validatePod(pod)).toEqual([]);
      expect(defaultPod(pod)).toBe(pod);
    },
  );
});

describe('pods that kube-apiserver refused', () => {
  const refused = creationsIn('pod-invalid').filter(({ response }) => response.code === 422);

  test.each(refused.map((step) => [nameIn(step), step] as const))(
    '%s is refused here with the same message',
    (name, { request, response }) => {
      const pod = prepareForCreate(defaultPod(deepFreeze(request.body ?? {})));
      const errors = [...metadataErrors(pod), ...validatePod(pod)];
      expect(invalid(POD, name, errors).toStatus()).toEqual(response.body);
    },
  );
});

describe('updates, one after the other, as kube-apiserver answered them', () => {
  /** A patch of the whole object or of a subresource, validated by its rules. */
  function answer(
    step: RecordedStep,
    old: JsonObject,
  ): { pod: JsonObject; errors: readonly FieldError[] } {
    const wanted = withAdmittedTolerations(defaultPod(applyRecordedPatch(old, step)), old);
    const subresource = step.request.path.split('/')[7];
    if (subresource === undefined) {
      const pod = prepareForUpdate(wanted, old);
      return { pod, errors: validatePodUpdate(pod, old) };
    }
    if (subresource === 'status') {
      const pod = prepareForStatusUpdate(wanted, old);
      return { pod, errors: validatePodStatusUpdate(pod, old) };
    }
    const rules = POD_SUBRESOURCES.get(subresource);
    expect(rules, subresource).toBeDefined();
    const pod = rules?.prepare(wanted, old) ?? old;
    return { pod, errors: rules?.validate(pod, old) ?? [] };
  }

  const steps = stepsOf('pod-updates');
  const patches = steps.flatMap((step, index) => {
    if (step.request.method !== 'PATCH') return [];
    const before = steps.slice(0, index).findLast(({ response }) => response.code < 400);
    return [[index, step, before?.response.body ?? {}] as const];
  });
  // The registry compares identifiers for all kinds.
  const ours = patches.filter(
    ([, { request }]) => !('uid' in readStruct(request.body?.['metadata'])),
  );

  const isRefused = ([, { response }]: (typeof ours)[number]): boolean => response.code === 422;

  test.each(ours.filter(isRefused))('step %i is refused', (_index, step, old) => {
    const { errors } = answer(step, deepFreeze(old));
    expect(invalid(POD, 'u', errors).toStatus()).toEqual(step.response.body);
  });

  test.each(ours.filter((one) => !isRefused(one)))('step %i is accepted', (_index, step, old) => {
    const { pod, errors } = answer(step, deepFreeze(old));
    expect(errors).toEqual([]);
    expect(pod['metadata']).toEqual(step.response.body['metadata']);
    expect(semanticallyEqual(pod, step.response.body, structOf('core/v1.Pod'))).toBe(true);
  });

  test('all of them are there', () => {
    expect(ours.length).toBe(14);
  });
});
