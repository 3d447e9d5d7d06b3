import { expect, test } from 'vitest';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

test.each([
  ['OutOfcpu', 'OutOfcpu'],
  ['OutOfephemeral-storage', 'OutOfephemeral-storage'],
  ['PodLevelResourcesNotSupported', 'PodLevelResourcesNotSupported'],
  [
    "node(s) had taints that the pod didn't tolerate",
    "node(s) had taints that the pod didn't tolerate",
  ],
  ['Evicted', 'Evicted'],
  ['OutOfgpu', 'OutOfExtendedResources'],
  ['OutOfexample.com/thing', 'OutOfExtendedResources'],
  ['OtherReason', 'Other'],
  ['', 'Other'],
  ['__proto__', 'Other'],
])('a pod that was rejected for %j counts as %j', (reason, label) => {
  const metrics = new KubeletMetrics();
  metrics.admission.podRejected(reason);
  metrics.admission.podRejected(reason);
  expect(linesOf(metrics, 'kubelet_admission_rejections_total')).toEqual([`{reason="${label}"} 2`]);
});
