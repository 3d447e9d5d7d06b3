/** The metrics of status writes, and of the container terminations and resizes that statuses show. */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { StatusObserver } from '../../ports/observe/status-observer.ts';
import type { Recorder } from './recorder.ts';

type ResizeCounts = Parameters<StatusObserver['resizesChanged']>[0];

const PENDING_REASONS = ['deferred', 'infeasible'] as const;

/** A millionth of a millisecond, so that 1.005 s, which is 1004.999… ms, stays 1.005 s. */
const ROUNDING_MS = 1e-6;

export class StatusMetrics implements StatusObserver {
  readonly #recorder: Recorder;
  readonly #writes: Histogram;
  readonly #terminated: Family<Counter, 'container_type' | 'exit_code' | 'reason'>;
  readonly #pendingResizes: Family<Gauge, 'reason'>;
  readonly #resizesInProgress: Gauge;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#writes = registry.histogram({
      name: 'kubelet_pod_status_sync_duration_seconds',
      help: '[ALPHA] Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intevening changes to pod status occur.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
    });
    this.#terminated = registry.counters({
      name: 'kubelet_terminated_containers_total',
      help: '[ALPHA] Cumulative number of container terminations.',
      labels: ['container_type', 'exit_code', 'reason'],
    });
    this.#pendingResizes = registry.gauges({
      name: 'kubelet_pod_pending_resizes',
      help: '[ALPHA] Number of pending resizes for pods.',
      labels: ['reason'],
    });
    this.#resizesInProgress = registry.gauge({
      name: 'kubelet_pod_in_progress_resizes',
      help: '[ALPHA] Number of in-progress resizes for pods.',
    });
  }

  /** In whole milliseconds, as the kubelet measures it (SM-78): 10.9 ms are within 10 ms. */
  statusWritten(seconds: number): void {
    const wholeMs = Math.floor(seconds * 1000 + ROUNDING_MS);
    this.#recorder.observe(this.#writes, wholeMs / 1000);
  }

  containerTerminated(containerType: string, exitCode: number, reason: string): void {
    const labels = { container_type: containerType, exit_code: String(exitCode), reason };
    this.#terminated.with(labels).inc();
  }

  /** Rebuilt each time, so that a reason without pending resizes disappears (SM-101). */
  resizesChanged({ pendingByReason, inProgress }: ResizeCounts): void {
    this.#pendingResizes.reset();
    for (const reason of PENDING_REASONS) {
      const count = pendingByReason[reason];
      if (count !== 0) this.#recorder.set(this.#pendingResizes.with({ reason }), count);
    }
    this.#recorder.set(this.#resizesInProgress, inProgress);
  }
}
