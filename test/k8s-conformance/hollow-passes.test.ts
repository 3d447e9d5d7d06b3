import { expect, test } from 'vitest';
import { missingSteps } from './hollow-passes.ts';

const CONVERT =
  '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert from CR v1 to CR v2 [Conformance]';
const STEPS = [
  '  STEP: Creating a v1 custom resource @ 11/18/26 11:00:00.000',
  '  STEP: v2 custom resource should be converted @ 11/18/26 11:00:01.000',
];

test('a pass counts if the later steps are in the log', () => {
  expect(missingSteps(CONVERT, STEPS.join('\n'))).toEqual([]);
});

test('a pass that returned early does not count', () => {
  expect(missingSteps(CONVERT, '')).toEqual([
    'Creating a v1 custom resource',
    'v2 custom resource should be converted',
  ]);
  expect(missingSteps(CONVERT, STEPS[0] ?? '')).toEqual(['v2 custom resource should be converted']);
});

test('other tests need no step', () => {
  expect(missingSteps('[sig-node] Pods should be updated [Conformance]', '')).toEqual([]);
});
