/**
 * A bounded history of measurements that gets coarser with age:
 *
 *     the newest samples     as they were added
 *     before them            one point for each period: mean and maximum
 *
 * 1. The size depends only on the SeriesShape, not on the number of added samples.
 * 2. NaN means that a value was not measured: it does not count in a mean, and a point without measured
 *    values is null.
 * 3. A sample that is older than the newest one is dropped: clocks may be set back.
 */
export interface SeriesShape {
  /** The number of values in a sample. */
  readonly width: number;
  readonly samplesMax: number;
  readonly periodMs: number;
  readonly periodsMax: number;
}

export interface SeriesPoint {
  /** The time of a sample, or the beginning of a period. */
  readonly atMs: number;
  /** Null: not measured. */
  readonly mean: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** The layout of a period's row: its number, and for each value the sum, the count and the maximum. */
const SUM = 0;
const COUNT = 1;
const MAX = 2;
const FIELDS = 3;

export class DownsampledSeries {
  readonly #shape: SeriesShape;
  readonly #samples: Float64Array;
  readonly #periods: Float64Array;
  #sampleCount = 0;
  #periodCount = 0;

  constructor(shape: SeriesShape) {
    const { width, samplesMax, periodsMax } = shape;
    this.#shape = shape;
    this.#samples = new Float64Array(samplesMax * (1 + width));
    this.#periods = new Float64Array(periodsMax * (1 + FIELDS * width));
  }

  /** Null: no sample was added yet. */
  get newestMs(): number | null {
    return this.#sampleCount === 0 ? null : (this.#sampleAt(this.#sampleCount - 1)[0] ?? null);
  }

  add(atMs: number, values: readonly number[]): void {
    const { newestMs } = this;
    if (newestMs !== null && atMs < newestMs) return;
    this.#sampleAt(this.#sampleCount).set([atMs, ...values]);
    this.#sampleCount += 1;
    this.#addToPeriod(Math.floor(atMs / this.#shape.periodMs), values);
  }

  /** Oldest first: periods that end before the oldest sample, then the samples. */
  points(): readonly SeriesPoint[] {
    const samples = this.#rows(this.#sampleCount, this.#shape.samplesMax, (n) => this.#sampleAt(n));
    const oldestMs = samples[0]?.[0] ?? 0;
    const { periodMs } = this.#shape;
    const periods = this.#rows(this.#periodCount, this.#shape.periodsMax, (n) => this.#periodAt(n));
    return [
      ...periods
        .filter(([period = 0]) => (period + 1) * periodMs <= oldestMs)
        .map((row) => this.#periodPoint(row)),
      ...samples.map(([atMs = 0, ...values]) => {
        const known = values.map((value) => (Number.isNaN(value) ? null : value));
        return { atMs, mean: known, max: known };
      }),
    ];
  }

  #addToPeriod(period: number, values: readonly number[]): void {
    const isSame = this.#periodCount > 0 && this.#periodAt(this.#periodCount - 1)[0] === period;
    if (!isSame) {
      this.#periodAt(this.#periodCount).fill(0).set([period]);
      this.#periodCount += 1;
    }
    const row = this.#periodAt(this.#periodCount - 1);
    for (const [index, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      const from = 1 + index * FIELDS;
      const isFirst = row[from + COUNT] === 0;
      row[from + MAX] = isFirst ? value : Math.max(row[from + MAX] ?? value, value);
      row[from + SUM] = (row[from + SUM] ?? 0) + value;
      row[from + COUNT] = (row[from + COUNT] ?? 0) + 1;
    }
  }

  #periodPoint(row: Float64Array): SeriesPoint {
    const [mean, max]: [(number | null)[], (number | null)[]] = [[], []];
    for (let index = 0; index < this.#shape.width; index += 1) {
      const [sum = 0, count = 0, largest = 0] = row.subarray(1 + index * FIELDS);
      mean.push(count === 0 ? null : sum / count);
      max.push(count === 0 ? null : largest);
    }
    return { atMs: (row[0] ?? 0) * this.#shape.periodMs, mean, max };
  }

  /** The used rows of the ring, oldest first. */
  #rows(
    count: number,
    max: number,
    rowAt: (index: number) => Float64Array,
  ): readonly Float64Array[] {
    const first = Math.max(count - max, 0);
    return Array.from({ length: count - first }, (_, index) => rowAt(first + index));
  }

  #sampleAt(index: number): Float64Array {
    const { width, samplesMax } = this.#shape;
    return rowOf(this.#samples, index % samplesMax, 1 + width);
  }

  #periodAt(index: number): Float64Array {
    const { width, periodsMax } = this.#shape;
    return rowOf(this.#periods, index % periodsMax, 1 + FIELDS * width);
  }
}

function rowOf(all: Float64Array, index: number, size: number): Float64Array {
  return all.subarray(index * size, (index + 1) * size);
}
