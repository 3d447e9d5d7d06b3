import { describe, expect, test } from 'vitest';
import { InvariantError } from '../assert.ts';
import { Registry } from './registry.ts';

const help = 'Help.';

test('families come in the order of their names', () => {
  const registry = new Registry();
  registry.gauge({ name: 'b', help });
  registry.counter({ name: 'c_total', help });
  registry.histogram({ name: 'a', help });
  expect(registry.families().map(({ name }) => name)).toEqual(['a', 'b', 'c_total']);
});

test('a metric without labels is there from the start, one with labels from its first use', () => {
  const registry = new Registry();
  registry.counter({ name: 'plain_total', help });
  registry.counters({ name: 'labelled_total', help, labels: ['a'] });
  const shown = registry.families().map((family) => [family.name, [...family.members()].length]);
  expect(shown).toEqual([
    ['labelled_total', 0],
    ['plain_total', 1],
  ]);
});

test('histograms have their own buckets, or the usual ones', () => {
  const registry = new Registry();
  const usual = registry.histogram({ name: 'usual', help });
  const own = registry.histogram({ name: 'own', help, buckets: [1] });
  expect([...usual.samples()]).toHaveLength(12 + 2);
  expect([...own.samples()]).toHaveLength(2 + 2);
});

test('the labels of a metric are known to the compiler', () => {
  const registry = new Registry();
  const requests = registry.gauges({ name: 'requests', help, labels: ['code'] });
  // @ts-expect-error: there is no label `status`.
  expect(() => requests.with({ code: '200', status: '200' })).toThrow(InvariantError);
});

describe('names', () => {
  test('a name is registered once', () => {
    const registry = new Registry();
    registry.counter({ name: 'x_total', help });
    expect(() => registry.gauges({ name: 'x_total', help, labels: [] })).toThrow(
      new InvariantError('metric x_total is registered twice'),
    );
  });

  test.each(['x', 'x_bucket', 'x_sum', 'x_count'])(
    'beside a histogram x there is no %s',
    (name) => {
      const registry = new Registry();
      registry.histogram({ name: 'x', help });
      expect(() => registry.gauge({ name, help })).toThrow(InvariantError);
    },
  );

  test('beside a counter x_total there is no x, which is its name in OpenMetrics', () => {
    const registry = new Registry();
    registry.counter({ name: 'x_total', help });
    expect(() => registry.histogram({ name: 'x', help })).toThrow(InvariantError);
  });

  test.each(['', '1x', 'x-y', 'x y', 'é'])('%j cannot be a name', (name) => {
    expect(() => new Registry().counter({ name, help })).toThrow(InvariantError);
  });

  test('a metric that was refused for its labels or buckets leaves its name free', () => {
    const registry = new Registry();
    expect(() => registry.counters({ name: 'x', help, labels: ['le'] })).toThrow(InvariantError);
    expect(() => registry.histogram({ name: 'x', help, buckets: [] })).toThrow(InvariantError);
    registry.gauge({ name: 'x', help }).set(1);
    expect(registry.families()).toHaveLength(1);
  });
});
