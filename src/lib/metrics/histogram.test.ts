import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../assert.ts';
import { checkBuckets, DEFAULT_BUCKETS, Histogram } from './histogram.ts';

function totals(histogram: Histogram): readonly (readonly [number | null, number])[] {
  return [...histogram.samples()]
    .filter(({ suffix }) => suffix === '_bucket')
    .map(({ le, value }) => [le, value]);
}

test('a value on a bound belongs below it, and a value above all bounds is counted, too', () => {
  const histogram = new Histogram([1, 5]);
  for (const value of [0, 1, 1.0000001, 5, 5.1, 1e9]) histogram.observe(value);
  expect(totals(histogram)).toEqual([
    [1, 2],
    [5, 4],
    [Infinity, 6],
  ]);
  expect(histogram.count).toBe(6);
});

test('buckets come first, then the sum, then the count', () => {
  const histogram = new Histogram([1]);
  histogram.observe(0.5);
  histogram.observe(4);
  expect([...histogram.samples()]).toEqual([
    { suffix: '_bucket', le: 1, value: 1 },
    { suffix: '_bucket', le: Infinity, value: 2 },
    { suffix: '_sum', le: null, value: 4.5 },
    { suffix: '_count', le: null, value: 2 },
  ]);
});

test.each([-0.001, Number.NaN, Infinity, -Infinity])(
  'a histogram refuses to observe %d, and nothing of it stays',
  (value) => {
    const histogram = new Histogram(DEFAULT_BUCKETS);
    expect(() => histogram.observe(value)).toThrow(InvariantError);
    expect(histogram.count).toBe(0);
    expect(histogram.sum).toBe(0);
  },
);

test('each bucket holds exactly the values up to its bound', () => {
  const bounds = fc
    .uniqueArray(fc.double({ min: 0, max: 100, noNaN: true }), {
      minLength: 1,
      comparator: 'SameValueZero',
    })
    .map((list) => list.toSorted((a, b) => a - b));
  const values = fc.array(fc.double({ min: 0, max: 200, noNaN: true }));
  fc.assert(
    fc.property(bounds, values, (bounds, values) => {
      const histogram = new Histogram(bounds);
      for (const value of values) histogram.observe(value);
      const expected = [...bounds, Infinity].map((le) => [
        le,
        values.filter((value) => value <= le).length,
      ]);
      expect(totals(histogram)).toEqual(expected);
      expect(histogram.count).toBe(values.length);
    }),
  );
});

describe('bounds of buckets', () => {
  test('ascending ones are copied, so that the caller cannot change them later', () => {
    const given = [0, 1, 2.5];
    const checked = checkBuckets('x', given);
    given.push(0);
    expect(checked).toEqual([0, 1, 2.5]);
  });

  test.each([
    ['none', []],
    ['a negative one', [-1, 1]],
    ['a falling one', [2, 1]],
    ['one twice', [1, 1]],
    ['infinity, which is always there', [1, Infinity]],
    ['NaN', [Number.NaN]],
  ])('%s are refused', (_case, bounds) => {
    expect(() => checkBuckets('x', bounds)).toThrow(InvariantError);
  });
});
