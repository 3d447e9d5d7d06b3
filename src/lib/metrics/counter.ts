/**
 * A metric that only grows, from the start of the program.
 *
 * Scrapers take a decrease for a restart, and a NaN would stay for the rest of the run. Both are bugs of the
 * caller, so they throw.
 */
import { InvariantError } from '../assert.ts';
import type { Metric, Sample } from './metric.ts';

export class Counter implements Metric {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    // `assert` would build its message on every call.
    if (!(by >= 0 && by < Infinity)) throw new InvariantError(`a counter cannot grow by ${by}`);
    this.#value += by;
  }

  samples(): Iterable<Sample> {
    return [{ suffix: '', le: null, value: this.#value }];
  }
}
