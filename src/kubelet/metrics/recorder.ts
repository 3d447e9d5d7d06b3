/**
 * Records values in metrics without ever throwing.
 *
 * A metric refuses a value that is not a number, because one such value would make the sum of the metric
 * invalid permanently. But the caller is syncing a pod, and a wrong measurement must not stop the sync. So
 * the value is dropped and counted here: any count above zero is a bug in podkeep.
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

  /** Negative values count as zero: if start and end come from two clocks, the end may be before the start. */
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
