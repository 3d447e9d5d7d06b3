import { expect, test } from 'vitest';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

const FIRST = 'kubelet_first_network_pod_start_sli_duration_seconds';
const SLI = 'kubelet_pod_start_sli_duration_seconds';
const TOTAL = 'kubelet_pod_start_total_duration_seconds';

test('a worker that starts, and a pod that runs, are measured from when the pod was seen', () => {
  const metrics = new KubeletMetrics();
  metrics.podStarts.workerStarted(0.004);
  metrics.podStarts.podBecameRunning(7);
  const starts = linesOf(metrics, 'kubelet_pod_worker_start_duration_seconds');
  expect(starts).toContain('_bucket{le="0.005"} 1');
  const runs = linesOf(metrics, 'kubelet_pod_start_duration_seconds');
  expect(runs).toContain('_bucket{le="6"} 0');
  expect(runs).toContain('_bucket{le="8"} 1');
});

test('a confirmed start is measured with and without image pulls (SM-132)', () => {
  const metrics = new KubeletMetrics();
  metrics.podStarts.startConfirmed({ totalSeconds: 40, sliSeconds: 1.5, hostNetwork: false });
  expect(linesOf(metrics, TOTAL)).toContain('_sum 40');
  expect(linesOf(metrics, SLI)).toContain('_sum 1.5');
});

test('a pod with its own volumes is not part of the objective (SM-132)', () => {
  const metrics = new KubeletMetrics();
  metrics.podStarts.startConfirmed({ totalSeconds: 40, sliSeconds: null, hostNetwork: false });
  expect(linesOf(metrics, TOTAL)).toContain('_count 1');
  expect(linesOf(metrics, SLI)).toContain('_count 0');
  expect(linesOf(metrics, FIRST)).toEqual([' 0']);
});

test('only the first pod with its own network sets the gauge of the first', () => {
  const metrics = new KubeletMetrics();
  const { podStarts } = metrics;
  podStarts.startConfirmed({ totalSeconds: 1, sliSeconds: 1, hostNetwork: true });
  expect(linesOf(metrics, FIRST)).toEqual([' 0']);
  podStarts.startConfirmed({ totalSeconds: 2, sliSeconds: 2, hostNetwork: false });
  podStarts.startConfirmed({ totalSeconds: 3, sliSeconds: 3, hostNetwork: false });
  expect(linesOf(metrics, FIRST)).toEqual([' 2']);
});

test("a pod created by a clock ahead of the node's took zero time, not less", () => {
  const metrics = new KubeletMetrics();
  metrics.podStarts.startConfirmed({ totalSeconds: -2, sliSeconds: -3, hostNetwork: true });
  expect(linesOf(metrics, TOTAL)).toContain('_sum 0');
  expect(linesOf(metrics, SLI)).toContain('_bucket{le="0.5"} 1');
});
