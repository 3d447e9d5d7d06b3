/** The metric of how long changes of pod cgroups take. */
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Recorder } from './recorder.ts';

export type CgroupOperation = 'create' | 'update' | 'destroy';

export class CgroupMetrics {
  readonly #recorder: Recorder;
  readonly #durations: Family<Histogram, 'operation_type'>;

  constructor(registry: Registry, recorder: Recorder) {
    this.#recorder = recorder;
    this.#durations = registry.histograms({
      name: 'kubelet_cgroup_manager_duration_seconds',
      help: '[ALPHA] Duration in seconds for cgroup manager operations. Broken down by method.',
      labels: ['operation_type'],
    });
  }

  operationEnded(operation: CgroupOperation, seconds: number): void {
    this.#recorder.observe(this.#durations.with({ operation_type: operation }), seconds);
  }
}
