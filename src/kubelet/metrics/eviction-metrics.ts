/** How many pods this node evicted, by what they or the node ran out of. */
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export class EvictionMetrics {
  readonly #evictions: Family<Counter, 'eviction_signal'>;

  constructor(registry: Registry) {
    this.#evictions = registry.counters({
      name: 'kubelet_evictions',
      help: '[ALPHA] Cumulative number of pod evictions by eviction signal',
      labels: ['eviction_signal'],
    });
  }

  podEvicted(signal: string): void {
    this.#evictions.with({ eviction_signal: signal }).inc();
  }
}
