/**
 * The metrics of probes, under the names that Kubernetes' kubelet v1.36 serves at /metrics/probes. The series
 * of a container exist as long as it is probed.
 */
import type { ProbeKind } from '../../core/probes/probe-worker.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { titleOf } from './prober.ts';

export interface ProbedContainer {
  readonly pod: PodReference;
  readonly container: string;
  readonly kind: ProbeKind;
}

type DurationLabel = 'probe_type' | 'container' | 'pod' | 'namespace';

const RESULTS = { success: 'successful', failure: 'failed' } as const;

export class ProbeMetrics {
  readonly #total: Family<Counter, DurationLabel | 'result' | 'pod_uid'>;
  readonly #durations: Family<Histogram, DurationLabel>;

  constructor(registry: Registry) {
    this.#total = registry.counters({
      name: 'prober_probe_total',
      help: '[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
      labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
    });
    this.#durations = registry.histograms({
      name: 'prober_probe_duration_seconds',
      help: '[ALPHA] Duration in seconds for a probe response.',
      labels: ['probe_type', 'container', 'pod', 'namespace'],
    });
  }

  /** Only durations of successes are measured: a failure may have lasted until its timeout. */
  probed(probed: ProbedContainer, outcome: keyof typeof RESULTS, seconds: number): void {
    const labels = durationLabels(probed);
    const { uid } = probed.pod;
    this.#total.with({ ...labels, pod_uid: uid, result: RESULTS[outcome] }).inc();
    if (outcome === 'success') this.#durations.with(labels).observe(Math.max(seconds, 0));
  }

  forget(probed: ProbedContainer): void {
    const labels = durationLabels(probed);
    const { uid } = probed.pod;
    for (const result of Object.values(RESULTS)) {
      this.#total.remove({ ...labels, pod_uid: uid, result });
    }
    this.#durations.remove(labels);
  }
}

function durationLabels({ pod, container, kind }: ProbedContainer): Record<DurationLabel, string> {
  return { probe_type: titleOf(kind), container, pod: pod.name, namespace: pod.namespace };
}
