/**
 * Keeps the promise that every observer makes: it never throws.
 *
 * A metric refuses what is no number, because that would spoil its sum for ever. But whoever reports
 * to an observer is in the middle of keeping a pod alive, and a wrong measurement is no reason to stop
 * that. So it is left out here, and counted: more than none is a bug in podkeep.
 */
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Histogram } from '../../lib/metrics/histogram.ts';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

export class Recorder {
  readonly #dropped: Counter;

  constructor(registry: Registry) {
    this.#dropped = registry.counter({
      name: 'podkeep_dropped_observations_total',
      help: 'Number of measurements that were left out because they were no numbers. Each one is a bug in podkeep.',
    });
  }

  /** Less than nothing counts as nothing: between two clocks, an end may come before its start. */
  observe(histogram: Histogram, value: number): void {
    if (Number.isFinite(value)) histogram.observe(Math.max(value, 0));
    else this.#dropped.inc();
  }

  set(gauge: Gauge, value: number): void {
    if (Number.isFinite(value)) gauge.set(value);
    else this.#dropped.inc();
  }

  increase(counter: Counter, by: number): void {
    if (Number.isFinite(by) && by >= 0) counter.inc(by);
    else this.#dropped.inc();
  }
}
