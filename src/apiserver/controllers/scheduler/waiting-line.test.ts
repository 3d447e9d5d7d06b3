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

test('whose turn went wrong rests, and longer each time', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 0);
  line.next();
  expect(line.restMs).toBeUndefined();
  for (const restMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    line.failed('a');
    expect(line.restMs).toBe(restMs);
    await clock.pass(restMs - 1);
    expect(line.next()).toBeUndefined();
    await clock.pass(1);
    expect(line.restMs).toBe(0);
    expect(line.next()).toBe('a');
  }
});

test('who found no node is tried again at once when something changes and nobody else waits', () => {
  const line = new WaitingLine(new VirtualClock());
  line.add('a', 0);
  line.next();
  expect(line.next()).toBeUndefined();
  line.wake('nodes');
  expect(line.next()).toBe('a');
});

test('the rest of somebody is cut short five times, and then no more', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 0);
  for (let turn = 0; turn < 6; turn++) {
    expect(line.next()).toBe('a');
    line.wake('nodes');
  }
  expect(line.next()).toBeUndefined();
  expect(line.restMs).toBe(10_000);
  await clock.pass(10_000);
  expect(line.next()).toBe('a');
});

test('who has rested goes before who has not, whatever their priorities', async () => {
  const clock = new VirtualClock();
  const line = new WaitingLine(clock);
  line.add('a', 10);
  line.next();
  line.add('b', 0);
  line.wake('nodes');
  expect([line.next(), line.next()]).toEqual(['b', 'a']);
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
