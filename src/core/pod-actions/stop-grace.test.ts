import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { stopGraceSeconds } from './stop-grace.ts';

const CONTAINER = {
  name: 'main',
  livenessProbe: { terminationGracePeriodSeconds: 3 },
  startupProbe: { terminationGracePeriodSeconds: 4 },
};
const POD = livePod('web', { containers: [CONTAINER] });

test('the deletion takes precedence, even with zero seconds', () => {
  const deleted = { ...POD, metadata: { ...POD.metadata, deletionGracePeriodSeconds: 0 } };
  expect(stopGraceSeconds(deleted, CONTAINER, 'LivenessProbe')).toBe(0);
});

test('then the failed probe, and then the pod', () => {
  expect(stopGraceSeconds(POD, CONTAINER, 'LivenessProbe')).toBe(3);
  expect(stopGraceSeconds(POD, CONTAINER, 'StartupProbe')).toBe(4);
  expect(stopGraceSeconds(POD, CONTAINER, undefined)).toBe(30);
  expect(stopGraceSeconds(POD, { name: 'main' }, 'LivenessProbe')).toBe(30);
});

test('a pod without a grace period gives two seconds (PW-46)', () => {
  const { terminationGracePeriodSeconds: _, ...spec } = POD.spec;
  expect(stopGraceSeconds({ ...POD, spec }, CONTAINER, 'LivenessProbe')).toBe(2);
});
