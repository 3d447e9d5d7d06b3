/**
 * Formats metrics for scrapers, as Prometheus text or OpenMetrics.
 *
 *     # HELP restarts_total Number of restarts.
 *     # TYPE restarts_total counter
 *     restarts_total{static="true"} 2
 *
 * Families are sorted by name, metrics by label values, so that the same state always gives the same text. A
 * family without metrics is left out.
 */
import type { Member } from './family.ts';
import type { Sample } from './metric.ts';
import { fractionText, numberText } from './number-text.ts';
import type { ReadableFamily, Registry } from './registry.ts';

export interface Exposition {
  /** The value of the header Content-Type. */
  readonly contentType: string;
  expose(registry: Registry): string;
}

interface Dialect {
  head(family: ReadableFamily): string;
  bound(le: number): string;
  value(sample: Sample): string;
  readonly end: string;
}

export const prometheusText: Exposition = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  expose: (registry) => write(registry, PROMETHEUS),
};

export const openMetrics: Exposition = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  expose: (registry) => write(registry, OPEN_METRICS),
};

const PROMETHEUS: Dialect = {
  head: ({ name, help, kind }) => headText(name, escapeHelp(help), kind),
  bound: numberText,
  value: ({ value }) => numberText(value),
  end: '',
};

const OPEN_METRICS: Dialect = {
  head: ({ name, help, kind }) => {
    const helpText = escapeHelp(help).replaceAll('"', '\\"');
    if (kind !== 'counter') return headText(name, helpText, kind);
    // In OpenMetrics, samples of a counter must end in _total, and its family must not. A counter with
    // another name is shown as a metric of unknown type.
    return name.endsWith('_total')
      ? headText(name.slice(0, -'_total'.length), helpText, kind)
      : headText(name, helpText, 'unknown');
  },
  bound: fractionText,
  value: ({ suffix, value }) =>
    suffix === '_bucket' || suffix === '_count' ? String(value) : fractionText(value),
  end: '# EOF\n',
};

function write(registry: Registry, dialect: Dialect): string {
  let text = '';
  for (const family of registry.families()) {
    let lines = '';
    for (const member of family.members()) lines += memberText(family.name, member, dialect);
    if (lines !== '') text += dialect.head(family) + lines;
  }
  return text + dialect.end;
}

function memberText(name: string, { labelText, metric }: Member, dialect: Dialect): string {
  let text = '';
  for (const sample of metric.samples()) {
    const labels = sample.le === null ? labelText : withBound(labelText, dialect.bound(sample.le));
    const braces = labels === '' ? '' : `{${labels}}`;
    text += `${name}${sample.suffix}${braces} ${dialect.value(sample)}\n`;
  }
  return text;
}

/** `le` comes last, regardless of its alphabetical position. */
function withBound(labelText: string, bound: string): string {
  return labelText === '' ? `le="${bound}"` : `${labelText},le="${bound}"`;
}

function headText(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
