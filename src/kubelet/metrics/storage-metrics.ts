/**
 * The metrics of volumes: how many the volume manager has, and how long mounts and unmounts take.
 *
 * Kubernetes' kubelet has replaced the metric `storage_operation_errors_total` by a label of the duration
 * metric. Dashboards still use the former metric, so podkeep has it, too, with its former labels. Every
 * operation that was performed has an error counter, even if it is zero.
 */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { StorageObserver, VolumeCounts } from '../../ports/observe/storage-observer.ts';
import type { Recorder } from './recorder.ts';

const STATES = {
  desired: 'desired_state_of_world',
  actual: 'actual_state_of_world',
} as const;

export class StorageMetrics implements StorageObserver {
  readonly #recorder: Recorder;
  readonly #durations: Family<
    Histogram,
    'volume_plugin' | 'operation_name' | 'status' | 'migrated'
  >;
  readonly #errors: Family<Counter, 'volume_plugin' | 'operation_name'>;
  readonly #volumes: Family<Gauge, 'plugin_name' | 'state'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#durations = registry.histograms({
      name: 'storage_operation_duration_seconds',
      help: '[ALPHA] Storage operation duration',
      labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
    });
    this.#errors = registry.counters({
      name: 'storage_operation_errors_total',
      help: '[ALPHA] Storage operation errors',
      labels: ['volume_plugin', 'operation_name'],
    });
    this.#volumes = registry.gauges({
      name: 'volume_manager_total_volumes',
      help: '[ALPHA] Number of volumes in Volume Manager',
      labels: ['plugin_name', 'state'],
    });
  }

  operationEnded(plugin: string, operation: string, seconds: number, isFailed: boolean): void {
    const labels = { volume_plugin: plugin, operation_name: operation };
    const status = isFailed ? 'fail-unknown' : 'success';
    const histogram = this.#durations.with({ ...labels, status, migrated: 'false' });
    this.#recorder.observe(histogram, seconds);
    this.#errors.with(labels).inc(isFailed ? 1 : 0);
  }

  volumesCounted(counts: ReadonlyMap<string, VolumeCounts>): void {
    this.#volumes.reset();
    for (const [plugin, { desired, actual }] of counts) {
      this.#recorder.set(this.#gauge(plugin, 'desired'), desired);
      this.#recorder.set(this.#gauge(plugin, 'actual'), actual);
    }
  }

  #gauge(plugin: string, state: keyof typeof STATES): Gauge {
    return this.#volumes.with({ plugin_name: plugin, state: STATES[state] });
  }
}
