import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Rests } from './rests.ts';
import { Seats, type Seat } from './seats.ts';

test('a user who computed for long rests for four times as long, if there are others', () => {
  const rests = new Rests();
  rests.seen('a', 0);
  rests.seen('b', 0);
  expect(rests.computed('a', 100, 1000)).toBe(400);
  expect(rests.rests('a', 1399)).toBe(true);
  expect(rests.rests('b', 1399)).toBe(false);
  expect(rests.rests('a', 1400)).toBe(false);
});

test('a user who is alone, or was quick, does not rest', () => {
  const rests = new Rests();
  rests.seen('a', 0);
  expect(rests.computed('a', 100, 0)).toBe(0);
  rests.seen('b', 0);
  expect(rests.computed('a', 5, 0)).toBe(0);
  // The other user has not sent a request for a while.
  expect(rests.computed('a', 100, 2001)).toBe(0);
});

test('no rest is longer than two seconds', () => {
  const rests = new Rests();
  rests.seen('a', 0);
  rests.seen('b', 0);
  expect(rests.computed('a', 60_000, 0)).toBe(2000);
});

/** The test sets how long the request that started last computes. */
class ComputingClock extends VirtualClock {
  #settle = (): void => {};

  drained(then: () => void): void {
    this.#settle = then;
  }

  async compute(ms: number): Promise<void> {
    await this.pass(ms);
    this.#settle();
  }
}

const LIMITS = new Map([
  ['only' as const, { seats: 9, seatsPerUser: 9, queuePerUser: 9, queueTotal: 9 }],
]);

async function takeSeat(seats: Seats<'only'>, user: string): Promise<Seat> {
  const seat = await seats.take('only', user);
  if (typeof seat === 'string') throw new Error(seat);
  return seat;
}

test('the next request of a user who computed for long waits, and those of others do not', async () => {
  const clock = new ComputingClock();
  const seats = new Seats(clock, LIMITS, 1);
  (await takeSeat(seats, 'quick')).free();
  const seat = await takeSeat(seats, 'slow');
  await clock.compute(100);
  seat.free();
  let hasStarted = false;
  const takeNext = async (): Promise<void> => {
    const next = await takeSeat(seats, 'slow');
    hasStarted = true;
    next.free();
  };
  const next = takeNext();
  (await takeSeat(seats, 'quick')).free();
  await clock.pass(399);
  expect(hasStarted).toBe(false);
  await clock.pass(1);
  await next;
  expect(hasStarted).toBe(true);
});

test('a request that computes in steps rests between them, and the request after it for its last one', async () => {
  const clock = new ComputingClock();
  const seats = new Seats(clock, LIMITS, 1);
  (await takeSeat(seats, 'quick')).free();
  const seat = await takeSeat(seats, 'slow');
  const steps: string[] = [];
  const turn = async (name: string): Promise<void> => {
    await seat.turn();
    steps.push(name);
  };
  await clock.compute(50);
  const second = turn('second');
  await clock.pass(199);
  expect(steps).toEqual([]);
  await clock.pass(1);
  await second;
  seats.seen('quick');
  await clock.compute(100);
  seat.free();
  const next = takeSeat(seats, 'slow').then(() => steps.push('next request'));
  await clock.pass(399);
  expect(steps).toEqual(['second']);
  await clock.pass(1);
  await next;
});

test('a user beside one who needs no seat is not alone', async () => {
  const clock = new ComputingClock();
  const seats = new Seats(clock, LIMITS, 1);
  const seat = await takeSeat(seats, 'slow');
  seats.seen('administrator');
  await clock.compute(100);
  let isOver = false;
  const turn = seat.turn().then(() => (isOver = true));
  await clock.pass(399);
  expect(isOver).toBe(false);
  await clock.pass(1);
  await turn;
});
