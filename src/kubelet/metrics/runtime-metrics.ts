/**
 * The metrics of the calls to the container runtime, under the names that Kubernetes' kubelet gives to CRI
 * calls.
 *
 * Every operation that was called has an error counter, even if it is zero, because a rate needs a first
 * value. (In Kubernetes' kubelet the counter appears with the first error.)
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { RuntimeObserver } from '../../ports/observe/runtime-observer.ts';
import type { Recorder } from './recorder.ts';

const BUCKETS: readonly number[] = [
  0.005, 0.0125, 0.03125, 0.078125, 0.1953125, 0.48828125, 1.220703125, 3.0517578125, 7.62939453125,
  19.073486328125, 47.6837158203125, 119.20928955078125, 298.0232238769531, 745.0580596923828,
];

export class RuntimeMetrics implements RuntimeObserver {
  readonly #recorder: Recorder;
  readonly #operations: Family<Counter, 'operation_type'>;
  readonly #errors: Family<Counter, 'operation_type'>;
  readonly #durations: Family<Histogram, 'operation_type'>;
  readonly #sandboxes: Family<Histogram, 'runtime_handler'>;
  readonly #sandboxErrors: Family<Counter, 'runtime_handler'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#operations = registry.counters({
      name: 'kubelet_runtime_operations_total',
      help: '[ALPHA] Cumulative number of runtime operations by operation type.',
      labels: ['operation_type'],
    });
    this.#errors = registry.counters({
      name: 'kubelet_runtime_operations_errors_total',
      help: '[ALPHA] Cumulative number of runtime operation errors by operation type.',
      labels: ['operation_type'],
    });
    this.#durations = registry.histograms({
      name: 'kubelet_runtime_operations_duration_seconds',
      help: '[ALPHA] Duration in seconds of runtime operations. Broken down by operation type.',
      labels: ['operation_type'],
      buckets: BUCKETS,
    });
    this.#sandboxes = registry.histograms({
      name: 'kubelet_run_podsandbox_duration_seconds',
      help: '[ALPHA] Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.',
      labels: ['runtime_handler'],
    });
    this.#sandboxErrors = registry.counters({
      name: 'kubelet_run_podsandbox_errors_total',
      help: '[ALPHA] Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.',
      labels: ['runtime_handler'],
    });
  }

  operationEnded(operation: string, seconds: number, isFailed: boolean): void {
    const labels = { operation_type: operation };
    this.#operations.with(labels).inc();
    this.#errors.with(labels).inc(isFailed ? 1 : 0);
    this.#recorder.observe(this.#durations.with(labels), seconds);
  }

  sandboxRan(handler: string, seconds: number, isFailed: boolean): void {
    const labels = { runtime_handler: handler };
    this.#recorder.observe(this.#sandboxes.with(labels), seconds);
    if (isFailed) this.#sandboxErrors.with(labels).inc();
  }
}
