import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { IdleTimer } from './idle-timer.ts';

test('it fires when nothing has happened for the whole time, and not sooner', async () => {
  const clock = new VirtualClock();
  let expired = 0;
  const timer = new IdleTimer(clock, 1000, () => (expired += 1));
  await clock.pass(900);
  timer.touch();
  await clock.pass(999);
  expect(expired).toBe(0);
  await clock.pass(1);
  expect(expired).toBe(1);
  await clock.pass(10_000);
  expect(expired).toBe(1);
});

test('one that was stopped, or has no limit, never fires', async () => {
  const clock = new VirtualClock();
  let expired = 0;
  new IdleTimer(clock, 1000, () => (expired += 1)).stop();
  new IdleTimer(clock, 0, () => (expired += 1)).touch();
  await clock.pass(1_000_000);
  expect(expired).toBe(0);
});
