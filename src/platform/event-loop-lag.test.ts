import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import type { Clock } from '../ports/clock.ts';
import { measureEventLoopLag } from './event-loop-lag.ts';

/** A clock whose timers fire late, as those of a blocked event loop do. */
class LateClock implements Clock {
  readonly inner = new VirtualClock();
  lateMs = 0;
  now = (): number => this.inner.now();
  monotonic = (): number => this.inner.monotonic();
  after = (delayMs: number, wake: () => void) => this.inner.after(delayMs + this.lateMs, wake);
}

test('an event loop that turns has no lag', async () => {
  const clock = new LateClock();
  const lag = measureEventLoopLag(clock);
  await clock.inner.pass(10_500);
  expect(lag.lagMs()).toBe(0);
});

test('a blocked event loop shows while it lasts, and for one more measurement', async () => {
  const clock = new LateClock();
  clock.lateMs = 7000;
  const lag = measureEventLoopLag(clock);
  clock.lateMs = 0;
  await clock.inner.pass(3000);
  expect(lag.lagMs()).toBe(2000);
  await clock.inner.pass(5000);
  expect(lag.lagMs()).toBe(7000);
  await clock.inner.pass(1000);
  expect(lag.lagMs()).toBe(0);
});

test('nothing is left of a measurement that was stopped', () => {
  const clock = new LateClock();
  measureEventLoopLag(clock).stop();
  expect(clock.inner.pending).toBe(0);
});
