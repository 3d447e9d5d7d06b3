/**
 * Counts the events that the recorder dropped: in a metric, and for one Event on the node, which is due when
 * the queue is empty again or after REPORT_MS.
 */
import type { ApiEvent } from '../../core/events/api-event.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Family } from '../../lib/metrics/family.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

const REPORT_MS = 60_000;
const REASONS_MAX = 5;

export class DroppedEvents {
  readonly #counters: Family<Counter, 'type'> | null;
  readonly #reasons = new Map<string, number>();
  #count = 0;
  #sinceMs = 0;

  /** Null: nothing reads metrics. */
  constructor(registry: Registry | null) {
    this.#counters =
      registry?.counters({
        name: 'podkeep_dropped_events_total',
        help: 'Number of Events that were dropped because too many were queued, by type.',
        labels: ['type'],
      }) ?? null;
    // Shown as zero from the start, because an alert needs a value to compare with.
    for (const type of ['Normal', 'Warning']) this.#counters?.with({ type });
  }

  /** True: it is the first dropped event since the last report. */
  add({ type, reason }: ApiEvent, repeats: number, nowMs: number): boolean {
    const isFirst = this.#count === 0;
    if (isFirst) this.#sinceMs = nowMs;
    this.#count += repeats;
    const key = `${type} ${reason}`;
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + repeats);
    this.#counters?.with({ type }).inc(repeats);
    return isFirst;
  }

  /** The message of the Event; null: there is nothing to report, or not yet. */
  report(isOver: boolean, nowMs: number): { events: number; message: string } | null {
    const events = this.#count;
    if (events === 0 || (!isOver && nowMs - this.#sinceMs < REPORT_MS)) return null;
    const sorted = [...this.#reasons].toSorted(([, a], [, b]) => b - a);
    const shown = sorted.slice(0, REASONS_MAX).map(([reason, count]) => `${reason} ${count}`);
    const more = sorted.length > REASONS_MAX ? ', …' : '';
    this.#count = 0;
    this.#reasons.clear();
    const message = `Dropped ${events} events: too many were queued (${shown.join(', ')}${more})`;
    return { events, message };
  }
}
