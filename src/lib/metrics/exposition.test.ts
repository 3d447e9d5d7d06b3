import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMetrics, prometheusText } from './exposition.ts';
import { Registry } from './registry.ts';

function sample(): Registry {
  const registry = new Registry();
  const seconds = registry.histograms({
    name: 'turn_seconds',
    help: 'How long a "turn" takes.',
    labels: ['type', 'kind'],
    buckets: [0.5, 1, 1e6],
  });
  seconds.with({ type: 'sync', kind: 'z' }).observe(0.25);
  seconds.with({ type: 'sync', kind: 'z' }).observe(3);
  registry.gauge({ name: 'level', help: 'Back\\slash and\nline.' }).set(-1.5);
  registry
    .counters({ name: 'ends_total', help: 'Ends.', labels: ['why'] })
    .with({ why: '' })
    .inc(2);
  registry.counter({ name: 'drops', help: 'Drops.' });
  registry.gauges({ name: 'unseen', help: 'Never asked for.', labels: ['a'] });
  return registry;
}

describe('Prometheus text 0.0.4', () => {
  test('says its name and version', () => {
    expect(prometheusText.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('shows help, type and samples of every family that has any', () => {
    expect(prometheusText.expose(sample())).toBe(
      `# HELP drops Drops.
# TYPE drops counter
drops 0
# HELP ends_total Ends.
# TYPE ends_total counter
ends_total{why=""} 2
# HELP level Back\\\\slash and\\nline.
# TYPE level gauge
level -1.5
# HELP turn_seconds How long a "turn" takes.
# TYPE turn_seconds histogram
turn_seconds_bucket{kind="z",type="sync",le="0.5"} 1
turn_seconds_bucket{kind="z",type="sync",le="1"} 1
turn_seconds_bucket{kind="z",type="sync",le="1e+06"} 2
turn_seconds_bucket{kind="z",type="sync",le="+Inf"} 2
turn_seconds_sum{kind="z",type="sync"} 3.25
turn_seconds_count{kind="z",type="sync"} 2
`,
    );
  });

  test('an empty registry is an empty text', () => {
    expect(prometheusText.expose(new Registry())).toBe('');
  });

  test('any label value can be parsed back', () => {
    const unit = fc.constantFrom(
      '\\',
      '"',
      '\n',
      '\r',
      'n',
      'a',
      '{',
      '}',
      ',',
      '=',
      '\u2028',
      '😀',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (value) => {
        const registry = new Registry();
        registry
          .gauges({ name: 'x', help: 'X.', labels: ['v'] })
          .with({ v: value })
          .set(1);
        const line = prometheusText.expose(registry).split('\n')[2] ?? '';
        const quoted = /^x\{v="((?:[^"\\]|\\.)*)"\} 1$/s.exec(line)?.[1];
        expect(quoted === undefined ? undefined : unescape(quoted)).toBe(value);
      }),
    );
  });

  test('the same state is the same text, however it came about', () => {
    const values = fc.uniqueArray(fc.string(), { minLength: 1 });
    fc.assert(
      fc.property(values, (values) => {
        expect(showInOrder(values.toReversed())).toBe(showInOrder(values));
      }),
    );
  });
});

describe('OpenMetrics 1.0', () => {
  test('says its name and version', () => {
    expect(openMetrics.contentType).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
  });

  test('names counters without their ending, writes bounds with a fraction, and ends with EOF', () => {
    expect(openMetrics.expose(sample())).toBe(
      `# HELP drops Drops.
# TYPE drops unknown
drops 0.0
# HELP ends Ends.
# TYPE ends counter
ends_total{why=""} 2.0
# HELP level Back\\\\slash and\\nline.
# TYPE level gauge
level -1.5
# HELP turn_seconds How long a \\"turn\\" takes.
# TYPE turn_seconds histogram
turn_seconds_bucket{kind="z",type="sync",le="0.5"} 1
turn_seconds_bucket{kind="z",type="sync",le="1.0"} 1
turn_seconds_bucket{kind="z",type="sync",le="1e+06"} 2
turn_seconds_bucket{kind="z",type="sync",le="+Inf"} 2
turn_seconds_sum{kind="z",type="sync"} 3.25
turn_seconds_count{kind="z",type="sync"} 2
# EOF
`,
    );
  });

  test('an empty registry is only an end', () => {
    expect(openMetrics.expose(new Registry())).toBe('# EOF\n');
  });
});

function showInOrder(values: readonly string[]): string {
  const registry = new Registry();
  const family = registry.gauges({ name: 'x', help: 'X.', labels: ['v'] });
  for (const v of values) family.with({ v }).set(v.length);
  return prometheusText.expose(registry);
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
