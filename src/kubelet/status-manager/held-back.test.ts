import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { HeldBack } from './held-back.ts';

function stage(): { clock: VirtualClock; held: HeldBack; due: string[] } {
  const clock = new VirtualClock();
  const due: string[] = [];
  return { clock, due, held: new HeldBack(clock, (uid) => due.push(uid)) };
}

test('each is due after a second, however often it is held', async () => {
  const { clock, held, due } = stage();
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

test('who is let go is not due, and leaves no timer', async () => {
  const { clock, held, due } = stage();
  held.hold('a');
  held.hold('b');
  held.letGo('a');
  expect([held.has('a'), held.has('b')]).toEqual([false, true]);
  held.letGo('b');
  expect(clock.pending).toBe(0);
  await clock.pass(2000);
  expect(due).toEqual([]);
});

test('who was let go can be held again, for a second of its own', async () => {
  const { clock, held, due } = stage();
  held.hold('a');
  await clock.pass(900);
  held.letGo('a');
  held.hold('a');
  await clock.pass(999);
  expect(due).toEqual([]);
  await clock.pass(1);
  expect(due).toEqual(['a']);
});
