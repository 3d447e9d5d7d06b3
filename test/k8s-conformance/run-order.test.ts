import { expect, test } from 'vitest';
import { inTurns, orderOf } from './run-order.ts';

test('tests that need the cluster for themselves run after all others', () => {
  expect(orderOf(['a [Serial]', 'b', 'c [Disruptive]', 'd'])).toEqual({
    together: ['b', 'd'],
    alone: ['a [Serial]', 'c [Disruptive]'],
  });
});

test('at most so many run at the same time, and all of them run', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await inTurns([1, 2, 3, 4, 5], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test('nothing is no work', async () => {
  await expect(inTurns([], 4, () => Promise.reject(new Error('never')))).resolves.toBeUndefined();
});
