/** Counts exported and dropped spans. The metrics are on /metrics only if `tracing` is configured. */
import type { DropReason } from '../../core/tracing/span-export.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

const REASONS: readonly DropReason[] = ['queue_full', 'refused', 'stopped', 'unavailable'];

export class SpanMetrics {
  readonly #exported: Counter;
  readonly #dropped: Family<Counter, 'reason'>;

  constructor(registry: Registry) {
    this.#exported = registry.counter({
      name: 'podkeep_exported_spans_total',
      help: 'Spans that the receiver of traces has accepted.',
    });
    this.#dropped = registry.counters({
      name: 'podkeep_dropped_spans_total',
      help: 'Spans that were not exported, by reason.',
      labels: ['reason'],
    });
    for (const reason of REASONS) this.dropped(reason, 0);
  }

  exported(count: number): void {
    this.#exported.inc(count);
  }

  dropped(reason: DropReason, count: number): void {
    this.#dropped.with({ reason }).inc(count);
  }
}
