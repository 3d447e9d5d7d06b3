/**
 * The interface between metrics and text formats: a metric is a list of samples under the name of its family.
 *
 * Metrics do not know the text formats, and formats do not know how a metric counts.
 */

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface Sample {
  /** The suffix of the family's name. */
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** The inclusive upper bound of a bucket. Null: the sample is not a bucket. */
  readonly le: number | null;
  readonly value: number;
}

export interface Metric {
  samples(): Iterable<Sample>;
}
