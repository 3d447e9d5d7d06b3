import { expect, test } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { WaitingLine } from './waiting-line.ts';

test('the more important goes first, then whoever came first', () => {
  const line = new WaitingLine(new VirtualClock());
  line.add('a', 0);
  line.add('b', 10);
  line.add('c', 10);
  expect([line.next(), line.next(), line.next(), line.next()]).toEqual(['b', 'c', 'a', undefined]);
});

test('who was tried rests until something changes, and then for as long as it has to', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 0);
  line.next();
  expect(line.restMs).toBeUndefined();
  for (const restMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    expect(line.wake('nodes')).toBe(true);
    expect(line.restMs).toBe(restMs);
    await clock.pass(restMs - 1);
    expect(line.next()).toBeUndefined();
    await clock.pass(1);
    expect(line.restMs).toBe(0);
    expect(line.next()).toBe('a');
  }
});

test('whoever changes keeps its place and its rest', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 0);
  line.add('b', 0);
  line.next();
  line.add('a', 0);
  expect(line.next()).toBe('b');
  await clock.pass(1000);
  expect(line.next()).toBe('a');
});

test('whoever left is not woken', () => {
  const line = new WaitingLine(new VirtualClock());
  line.add('a', 0);
  line.delete('a');
  expect(line.has('a')).toBe(false);
  expect(line.wake('nodes')).toBe(false);
  expect(line.next()).toBeUndefined();
});

test('only what somebody hopes for wakes it, until it is tried again', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 0);
  line.next();
  line.rest('a', new Set(['nodes']));
  expect(line.wake('pods')).toBe(false);
  expect(line.wake('nodes')).toBe(true);
  await clock.pass(1000);
  expect(line.next()).toBe('a');
  expect(line.wake('volumes')).toBe(true);
});
