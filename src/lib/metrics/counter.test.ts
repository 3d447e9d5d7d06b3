import { expect, test } from 'vitest';
import { InvariantError } from '../assert.ts';
import { Counter } from './counter.ts';

test('a counter starts at zero and grows by one, or by a given amount', () => {
  const counter = new Counter();
  expect(counter.value).toBe(0);
  counter.inc();
  counter.inc(2.5);
  counter.inc(0);
  expect(counter.value).toBe(3.5);
  expect([...counter.samples()]).toEqual([{ suffix: '', le: null, value: 3.5 }]);
});

test.each([-1, Number.NaN, Infinity, -Infinity])('a counter refuses to grow by %d', (by) => {
  const counter = new Counter();
  counter.inc(7);
  expect(() => counter.inc(by)).toThrow(InvariantError);
  expect(counter.value).toBe(7);
});
