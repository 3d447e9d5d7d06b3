import { expect, test } from 'vitest';
import type { PodWorkerObserver } from '../../ports/observe/pod-worker-observer.ts';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

test('turns are measured by what caused them', () => {
  const metrics = new KubeletMetrics();
  const observer: PodWorkerObserver = metrics.podWorkers;
  observer.turnEnded('sync', 0.03);
  observer.turnEnded('sync', 20);
  observer.turnEnded('terminated', 2);
  const lines = linesOf(metrics, 'kubelet_pod_worker_duration_seconds');
  expect(lines).toContain('_bucket{operation_type="sync",le="0.025"} 0');
  expect(lines).toContain('_bucket{operation_type="sync",le="0.05"} 1');
  expect(lines).toContain('_bucket{operation_type="sync",le="+Inf"} 2');
  expect(lines).toContain('_sum{operation_type="sync"} 20.03');
  expect(lines).toContain('_count{operation_type="sync"} 2');
  expect(lines).toContain('_count{operation_type="terminated"} 1');
});

test('a pod that starts is counted by its containers', () => {
  const metrics = new KubeletMetrics();
  metrics.podWorkers.podStarted(3);
  metrics.podWorkers.podStarted(17);
  expect(linesOf(metrics, 'kubelet_containers_per_pod_count')).toEqual([
    '_bucket{le="1"} 0',
    '_bucket{le="2"} 0',
    '_bucket{le="4"} 1',
    '_bucket{le="8"} 1',
    '_bucket{le="16"} 1',
    '_bucket{le="+Inf"} 2',
    '_sum 20',
    '_count 2',
  ]);
});

test('an invalid measurement does not stop the worker that reports it', () => {
  const metrics = new KubeletMetrics();
  metrics.podWorkers.turnEnded('sync', Number.NaN);
  metrics.podWorkers.podStarted(Number.NaN);
  metrics.podWorkers.wakeScheduled();
  expect(linesOf(metrics, 'podkeep_dropped_observations_total')).toEqual([' 2']);
});
