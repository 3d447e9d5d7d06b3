import { expect, test } from 'vitest';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

test('requested resizes are counted by resource, requirement and operation', () => {
  const metrics = new KubeletMetrics();
  const { resizes } = metrics;
  resizes.resizeRequested({ resource: 'cpu', requirement: 'limits', operation: 'increase' });
  resizes.resizeRequested({ resource: 'cpu', requirement: 'limits', operation: 'increase' });
  resizes.resizeRequested({ resource: 'memory', requirement: 'requests', operation: 'add' });
  expect(linesOf(metrics, 'kubelet_container_requested_resizes_total')).toEqual([
    '{operation="add",requirement="requests",resource="memory"} 1',
    '{operation="increase",requirement="limits",resource="cpu"} 2',
  ]);
});

test('finished resizes are measured in whole milliseconds, failed ones separately', () => {
  const metrics = new KubeletMetrics();
  metrics.resizes.resizeEnded(true, 10.9);
  metrics.resizes.resizeEnded(false, 700_000);
  const lines = linesOf(metrics, 'kubelet_pod_resize_duration_milliseconds');
  expect(lines).toContain('_bucket{success="true",le="10"} 1');
  expect(lines).toContain('_bucket{success="false",le="600000"} 0');
  expect(lines).toContain('_sum{success="false"} 700000');
});

test('infeasible resizes, and deferred ones that were accepted, are counted by their cause', () => {
  const metrics = new KubeletMetrics();
  metrics.resizes.resizeRefused('swap_limitation');
  metrics.resizes.deferredResizeAccepted('periodic_retry');
  expect(linesOf(metrics, 'kubelet_pod_infeasible_resizes_total')).toEqual([
    '{reason_detail="swap_limitation"} 1',
  ]);
  expect(linesOf(metrics, 'kubelet_pod_deferred_accepted_resizes_total')).toEqual([
    '{retry_trigger="periodic_retry"} 1',
  ]);
});
