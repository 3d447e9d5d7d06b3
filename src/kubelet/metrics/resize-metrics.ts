/**
 * The metrics of requested resizes and their results. The numbers of pending and in-progress resizes are in
 * status-metrics.ts, because the status manager has them.
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Recorder } from './recorder.ts';

/** One resource of one container that a new spec changes. */
export interface RequestedResize {
  readonly resource: 'cpu' | 'memory';
  readonly requirement: 'requests' | 'limits';
  readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
}

/** What made podkeep retry pending resizes. */
export type ResizeRetryTrigger =
  | 'pod_resized'
  | 'pod_updated'
  | 'pods_added'
  | 'pods_removed'
  | 'pod_terminated'
  | 'periodic_retry';

export class ResizeMetrics {
  readonly #recorder: Recorder;
  readonly #requested: Family<Counter, 'operation' | 'requirement' | 'resource'>;
  readonly #durations: Family<Histogram, 'success'>;
  readonly #infeasible: Family<Counter, 'reason_detail'>;
  readonly #acceptedLate: Family<Counter, 'retry_trigger'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#requested = registry.counters({
      name: 'kubelet_container_requested_resizes_total',
      help: "[ALPHA] Number of requested resizes, counted at the container level. Different resources on the same container are counted separately. The 'requirement' label refers to 'memory' or 'limits'; the 'operation' label can be one of 'add', 'remove', 'increase' or 'decrease'.",
      labels: ['resource', 'requirement', 'operation'],
    });
    this.#durations = registry.histograms({
      name: 'kubelet_pod_resize_duration_milliseconds',
      help: '[ALPHA] Duration in milliseconds to actuate a pod resize',
      labels: ['success'],
      buckets: [
        10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
        600_000,
      ],
    });
    this.#infeasible = registry.counters({
      name: 'kubelet_pod_infeasible_resizes_total',
      help: '[ALPHA] Number of infeasible resizes for pods.',
      labels: ['reason_detail'],
    });
    this.#acceptedLate = registry.counters({
      name: 'kubelet_pod_deferred_accepted_resizes_total',
      help: '[ALPHA] Cumulative number of resizes that were accepted after being deferred.',
      labels: ['retry_trigger'],
    });
  }

  resizeRequested({ resource, requirement, operation }: RequestedResize): void {
    this.#requested.with({ resource, requirement, operation }).inc();
  }

  /** The containers were resized, or the resize failed. Measured in whole milliseconds, as in the kubelet. */
  resizeEnded(succeeded: boolean, ms: number): void {
    this.#recorder.observe(this.#durations.with({ success: String(succeeded) }), Math.trunc(ms));
  }

  /** A resize that can never be granted here, such as `swap_limitation`. */
  resizeRefused(reasonDetail: string): void {
    this.#infeasible.with({ reason_detail: reasonDetail }).inc();
  }

  /** A deferred resize was granted. */
  deferredResizeAccepted(trigger: ResizeRetryTrigger): void {
    this.#acceptedLate.with({ retry_trigger: trigger }).inc();
  }
}
