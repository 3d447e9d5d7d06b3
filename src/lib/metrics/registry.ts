/**
 * The registry of all metrics of one program. Each name is registered once.
 *
 * A metric without labels is shown from the start, as zero; a metric with labels from the first use of its
 * label values. Names that a text format derives are reserved, too: beside a histogram `x` there can be no
 * counter `x_count`, because a scraper could not distinguish the two.
 */
import { assert } from '../assert.ts';
import { Counter } from './counter.ts';
import { Family } from './family.ts';
import type { FamilyHead, Member } from './family.ts';
import { Gauge } from './gauge.ts';
import { checkBuckets, DEFAULT_BUCKETS, Histogram } from './histogram.ts';
import type { Metric, MetricKind } from './metric.ts';

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

export interface LabelledOptions<Label extends string> extends MetricOptions {
  readonly labels: readonly Label[];
}

export interface Bucketed {
  /** Upper bounds, ascending. Observations above the last one are counted, too. */
  readonly buckets?: readonly number[];
}

/** The part of a family that the text formats need. */
export interface ReadableFamily extends FamilyHead {
  members(): Iterable<Member>;
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

export class Registry {
  readonly #families: ReadableFamily[] = [];
  readonly #taken = new Set<string>();

  counter(options: MetricOptions): Counter {
    return this.counters({ ...options, labels: [] }).with({});
  }

  counters<const Label extends string>(options: LabelledOptions<Label>): Family<Counter, Label> {
    return this.#add('counter', options, () => new Counter());
  }

  gauge(options: MetricOptions): Gauge {
    return this.gauges({ ...options, labels: [] }).with({});
  }

  /** A gauge whose value is computed when it is read. */
  reading(options: MetricOptions, read: () => number): void {
    this.#add('gauge', { ...options, labels: [] }, () => ({
      samples: () => [{ suffix: '', le: null, value: read() }],
    })).with({});
  }

  gauges<const Label extends string>(options: LabelledOptions<Label>): Family<Gauge, Label> {
    return this.#add('gauge', options, () => new Gauge());
  }

  histogram(options: MetricOptions & Bucketed): Histogram {
    return this.histograms({ ...options, labels: [] }).with({});
  }

  histograms<const Label extends string>(
    options: LabelledOptions<Label> & Bucketed,
  ): Family<Histogram, Label> {
    const bounds = checkBuckets(options.name, options.buckets ?? DEFAULT_BUCKETS);
    return this.#add('histogram', options, () => new Histogram(bounds));
  }

  /** In the order of their names. */
  families(): readonly ReadableFamily[] {
    return this.#families.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #add<M extends Metric, Label extends string>(
    kind: MetricKind,
    options: LabelledOptions<Label>,
    make: () => M,
  ): Family<M, Label> {
    const { name, help, labels } = options;
    assert(METRIC_NAME.test(name), `"${name}" cannot be the name of a metric`);
    const names = namesOf(kind, name);
    for (const each of names) assert(!this.#taken.has(each), `metric ${each} is registered twice`);
    const family = new Family({ kind, name, help, labels }, make);
    for (const each of names) this.#taken.add(each);
    this.#families.push(family);
    return family;
  }
}

/** Every name under which a text format may show the metric or its samples. */
function namesOf(kind: MetricKind, name: string): readonly string[] {
  switch (kind) {
    case 'counter':
      // In OpenMetrics the name of the family is without the suffix.
      return name.endsWith('_total') ? [name, name.slice(0, -'_total'.length)] : [name];
    case 'gauge':
      return [name];
    case 'histogram':
      return [name, `${name}_bucket`, `${name}_sum`, `${name}_count`];
  }
}
