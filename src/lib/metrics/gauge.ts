/**
 * A metric that goes up and down. It may be infinite, but never NaN, which would spread to every sum over the
 * metric, far from its cause.
 */
import { InvariantError } from '../assert.ts';
import type { Metric, Sample } from './metric.ts';

export class Gauge implements Metric {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    if (Number.isNaN(value)) throw new InvariantError('a gauge cannot be NaN');
    this.#value = value;
  }

  add(difference: number): void {
    this.set(this.#value + difference);
  }

  samples(): Iterable<Sample> {
    return [{ suffix: '', le: null, value: this.#value }];
  }
}
