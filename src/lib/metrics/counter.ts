/**
 * A number that only grows, from the start of the program on.
 *
 * Scrapers take a decrease for a restart, and a NaN would stay until the end. So either is a bug of the
 * caller, and throws.
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
