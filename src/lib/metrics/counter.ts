/**
 * A number that only grows, from the start of the program on.
 *
 * Readers take a fall for a restart, and one NaN would stay for ever. So whoever tries either has
 * made a mistake, and hears of it.
 */
import { InvariantError } from '../assert.ts';
import type { Metric, Sample } from './metric.ts';

export class Counter implements Metric {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    // Not `assert`: that would build its message on every call.
    if (!(by >= 0 && by < Infinity)) throw new InvariantError(`a counter cannot grow by ${by}`);
    this.#value += by;
  }

  samples(): Iterable<Sample> {
    return [{ suffix: '', le: null, value: this.#value }];
  }
}
