import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { DelayedWrites } from './delayed-writes.ts';

function harness(): { clock: VirtualClock; held: DelayedWrites; due: string[] } {
  const clock = new VirtualClock();
  const due: string[] = [];
  return { clock, due, held: new DelayedWrites(clock, (uid) => due.push(uid)) };
}

test('each is due after a second, however often it is held', async () => {
  const { clock, held, due } = harness();
  held.hold('a');
  await clock.pass(600);
  held.hold('a');
  held.hold('b');
  await clock.pass(399);
  expect(due).toEqual([]);
  await clock.pass(1);
  expect(due).toEqual(['a']);
  await clock.pass(600);
  expect(due).toEqual(['a', 'b']);
  expect(clock.pending).toBe(0);
});

test('a pod that is let go is not due, and leaves no timer', async () => {
  const { clock, held, due } = harness();
  held.hold('a');
  held.hold('b');
  held.letGo('a');
  expect([held.has('a'), held.has('b')]).toEqual([false, true]);
  held.letGo('b');
  expect(clock.pending).toBe(0);
  await clock.pass(2000);
  expect(due).toEqual([]);
});

test('a pod that was let go can be held again, for another second', async () => {
  const { clock, held, due } = harness();
  held.hold('a');
  await clock.pass(900);
  held.letGo('a');
  held.hold('a');
  await clock.pass(999);
  expect(due).toEqual([]);
  await clock.pass(1);
  expect(due).toEqual(['a']);
});
