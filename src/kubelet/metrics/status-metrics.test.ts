import { describe, expect, test } from 'vitest';
import type { StatusObserver } from '../../ports/observe/status-observer.ts';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

describe('status writes', () => {
  test.each([
    [0.0109, '_bucket{le="0.01"} 1', '_sum 0.01'],
    [0.011, '_bucket{le="0.01"} 0', '_sum 0.011'],
    [1.005, '_bucket{le="5"} 1', '_sum 1.005'],
    [61, '_bucket{le="60"} 0', '_sum 61'],
    [0.0005, '_bucket{le="0.01"} 1', '_sum 0'],
  ])('%d s are measured in whole milliseconds (SM-78)', (seconds, bucket, sum) => {
    const metrics = new KubeletMetrics();
    const observer: StatusObserver = metrics.status;
    observer.statusWritten(seconds);
    const lines = linesOf(metrics, 'kubelet_pod_status_sync_duration_seconds');
    expect(lines).toContain(bucket);
    expect(lines).toContain(sum);
    expect(lines).toContain('_count 1');
  });
});

test('terminated containers are counted by kind, exit code and reason (SM-29)', () => {
  const metrics = new KubeletMetrics();
  const { status } = metrics;
  status.containerTerminated('container', 0, 'Completed');
  status.containerTerminated('container', 137, 'OOMKilled');
  status.containerTerminated('container', 137, 'OOMKilled');
  status.containerTerminated('init_container', 1, 'Error');
  status.containerTerminated('ephemeral_container', -1, '');
  expect(linesOf(metrics, 'kubelet_terminated_containers_total')).toEqual([
    '{container_type="container",exit_code="0",reason="Completed"} 1',
    '{container_type="container",exit_code="137",reason="OOMKilled"} 2',
    '{container_type="ephemeral_container",exit_code="-1",reason=""} 1',
    '{container_type="init_container",exit_code="1",reason="Error"} 1',
  ]);
});

describe('resizes (SM-101)', () => {
  test('each report replaces the one before, even when only the reason changed', () => {
    const metrics = new KubeletMetrics();
    const { status } = metrics;
    status.resizesChanged({ pendingByReason: { deferred: 2, infeasible: 1 }, inProgress: 3 });
    expect(linesOf(metrics, 'kubelet_pod_pending_resizes')).toEqual([
      '{reason="deferred"} 2',
      '{reason="infeasible"} 1',
    ]);
    status.resizesChanged({ pendingByReason: { deferred: 0, infeasible: 3 }, inProgress: 0 });
    expect(linesOf(metrics, 'kubelet_pod_pending_resizes')).toEqual(['{reason="infeasible"} 3']);
    expect(linesOf(metrics, 'kubelet_pod_in_progress_resizes')).toEqual([' 0']);
  });

  test('without pending resizes, no reason is shown', () => {
    const metrics = new KubeletMetrics();
    const { status } = metrics;
    status.resizesChanged({ pendingByReason: { deferred: 1, infeasible: 0 }, inProgress: 0 });
    status.resizesChanged({ pendingByReason: { deferred: 0, infeasible: 0 }, inProgress: 1 });
    expect(linesOf(metrics, 'kubelet_pod_pending_resizes')).toEqual([]);
    expect(linesOf(metrics, 'kubelet_pod_in_progress_resizes')).toEqual([' 1']);
  });
});
