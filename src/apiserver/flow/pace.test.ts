import { expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Pace } from './pace.ts';
import { Seats } from './seats.ts';

/** Turns end when the test says so. */
class HeldClock extends VirtualClock {
  #end = (): void => {};

  turn(): Promise<void> {
    return new Promise((resolve) => (this.#end = resolve));
  }

  async next(): Promise<void> {
    this.#end();
    await promisesSettled();
  }
}

test('a limited number of steps is taken in a turn, and the others in the next ones, in order', async () => {
  const clock = new HeldClock();
  const pace = new Pace(clock, 2);
  const taken: number[] = [];
  for (const step of [1, 2, 3, 4, 5]) pace.step(() => taken.push(step));
  expect(taken).toEqual([1, 2]);
  await clock.next();
  expect(taken).toEqual([1, 2, 3, 4]);
  await clock.next();
  expect(taken).toEqual([1, 2, 3, 4, 5]);
});

test('a clock without turns delays nothing', () => {
  const pace = new Pace(new VirtualClock(), 1);
  const taken: number[] = [];
  for (const step of [1, 2, 3]) pace.step(() => taken.push(step));
  expect(taken).toEqual([1, 2, 3]);
});

const LIMITS = new Map([
  ['only' as const, { seats: 1, seatsPerUser: 1, queuePerUser: 5, queueTotal: 9 }],
]);

test('a request that came in meanwhile is chosen before those that a user has piled up', async () => {
  const clock = new HeldClock();
  const seats = new Seats(clock, LIMITS, 1);
  const order: string[] = [];
  const run = async (user: string): Promise<void> => {
    const seat = await seats.take('only', user);
    order.push(user);
    if (typeof seat !== 'string') seat.free();
  };
  const all = [run('mallory'), run('mallory'), run('mallory'), run('alice')];
  for (let turn = 0; turn < 8; turn++) await clock.next();
  await Promise.all(all);
  expect(order).toEqual(['mallory', 'mallory', 'alice', 'mallory']);
});

test('a request waits for fifteen seconds at most', async () => {
  const clock = new VirtualClock();
  const seats = new Seats(clock, LIMITS, 1);
  const first = await seats.take('only', 'a');
  const second = seats.take('only', 'b');
  await clock.pass(15_000);
  expect(await second).toBe('time-out');
  if (typeof first !== 'string') first.free();
  expect(await seats.take('only', 'b')).toHaveProperty('free');
});
