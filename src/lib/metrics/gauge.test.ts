import { expect, test } from 'vitest';
import { InvariantError } from '../assert.ts';
import { Gauge } from './gauge.ts';

test('a gauge goes up and down', () => {
  const gauge = new Gauge();
  gauge.set(5);
  gauge.add(2);
  gauge.add(-10);
  expect(gauge.value).toBe(-3);
  expect([...gauge.samples()]).toEqual([{ suffix: '', le: null, value: -3 }]);
});

test('a gauge may be infinite', () => {
  const gauge = new Gauge();
  gauge.set(Infinity);
  expect(gauge.value).toBe(Infinity);
});

test('a gauge never becomes NaN, not even by a sum', () => {
  const gauge = new Gauge();
  gauge.set(Infinity);
  expect(() => gauge.set(Number.NaN)).toThrow(InvariantError);
  expect(() => gauge.add(-Infinity)).toThrow(InvariantError);
  expect(gauge.value).toBe(Infinity);
});
