/** The metrics of evicted pods, and of the age of the measurements that evictions were based on. */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export class EvictionMetrics {
  readonly #evictions: Family<Counter, 'eviction_signal'>;
  readonly #statsAge: Family<Histogram, 'eviction_signal'>;

  constructor(registry: Registry) {
    this.#evictions = registry.counters({
      name: 'kubelet_evictions',
      help: '[ALPHA] Cumulative number of pod evictions by eviction signal',
      labels: ['eviction_signal'],
    });
    this.#statsAge = registry.histograms({
      name: 'kubelet_eviction_stats_age_seconds',
      help: '[ALPHA] Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
      labels: ['eviction_signal'],
    });
  }

  podEvicted(signal: string): void {
    this.#evictions.with({ eviction_signal: signal }).inc();
  }

  statsUsed(signal: string, ageSeconds: number): void {
    this.#statsAge.with({ eviction_signal: signal }).observe(ageSeconds);
  }
}
