/**
 * A histogram of observed values.
 *
 * Each observation is counted in one bucket; the cumulative counts are computed when they are read, which is
 * rare. Scrapers treat sum and counts as counters, so observations must be finite and not negative.
 */
import { assert, InvariantError } from '../assert.ts';
import type { Metric, Sample } from './metric.ts';

/** For request durations in seconds: the defaults of Prometheus' client libraries. */
export const DEFAULT_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export class Histogram implements Metric {
  readonly #bounds: readonly number[];
  /** One count per bound, and one for observations above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** The bounds of `checkBuckets`, shared by all histograms of a family. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  observe(value: number): void {
    // `assert` would build its message on every call.
    if (!(value >= 0 && value < Infinity)) {
      throw new InvariantError(`a histogram cannot observe ${value}`);
    }
    const index = this.#bucketOf(value);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  *samples(): Generator<Sample> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      yield { suffix: '_bucket', le: this.#bounds[index] ?? Infinity, value: total };
    }
    yield { suffix: '_sum', le: null, value: this.#sum };
    yield { suffix: '_count', le: null, value: total };
  }

  /** A linear search: with two dozen bounds and mostly small values, it is faster than a binary search. */
  #bucketOf(value: number): number {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? Infinity)) index += 1;
    return index;
  }
}

/** Checks that the bounds are finite, not negative and ascending, and returns a copy. */
export function checkBuckets(name: string, bounds: readonly number[]): readonly number[] {
  assert(bounds.length > 0, `${name} has no buckets`);
  let below = -1;
  for (const bound of bounds) {
    assert(
      bound >= 0 && bound < Infinity && bound > below,
      `${name} has a bucket ${bound} after ${below}`,
    );
    below = bound;
  }
  return [...bounds];
}
