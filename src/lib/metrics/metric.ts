/**
 * A metric as the text formats see it: a few samples under its family's name.
 *
 * Metrics know nothing of text formats, and formats nothing of how a metric counts.
 */

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface Sample {
  /** Goes behind the family's name. */
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** The bucket's upper bound, itself included. Null outside of buckets. */
  readonly le: number | null;
  readonly value: number;
}

export interface Metric {
  samples(): Iterable<Sample>;
}
