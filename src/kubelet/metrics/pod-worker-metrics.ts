/** The metrics of the pod workers and of their turns (each run of a sync handler is a turn). */
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { PodWorkerObserver } from '../../ports/observe/pod-worker-observer.ts';
import type { Recorder } from './recorder.ts';

export class PodWorkerMetrics implements PodWorkerObserver {
  readonly #recorder: Recorder;
  readonly #containersPerPod: Histogram;
  readonly #turns: Family<Histogram, 'operation_type'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#containersPerPod = registry.histogram({
      name: 'kubelet_containers_per_pod_count',
      help: '[ALPHA] The number of containers per pod.',
      buckets: [1, 2, 4, 8, 16],
    });
    this.#turns = registry.histograms({
      name: 'kubelet_pod_worker_duration_seconds',
      help: '[ALPHA] Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync',
      labels: ['operation_type'],
    });
  }

  podStarted(containers: number): void {
    this.#recorder.observe(this.#containersPerPod, containers);
  }

  turnEnded(operation: string, seconds: number): void {
    this.#recorder.observe(this.#turns.with({ operation_type: operation }), seconds);
  }

  /** The kubelet has no metric for this; other observers use it for the timeline of a pod. */
  wakeScheduled(): void {}
}
