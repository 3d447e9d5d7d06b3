import { expect, test } from 'vitest';
import { VirtualClock } from '../../../../../test/support/virtual-clock.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const all = (): boolean => true;
const none = (): boolean => false;

/** Takes the next pod, for which no node fits. */
function refuseNext(queue: SchedulingQueue): string | undefined {
  const key = queue.next();
  if (key !== undefined) queue.refused(key);
  return key;
}

test('higher priority goes first, then the pod that came first', () => {
  const queue = new SchedulingQueue(new VirtualClock());
  queue.add('a', 0);
  queue.add('b', 10);
  queue.add('c', 10);
  expect([queue.next(), queue.next(), queue.next(), queue.next()]).toEqual([
    'b',
    'c',
    'a',
    undefined,
  ]);
});

test('a pod whose attempt failed backs off, and longer each time', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  queue.next();
  expect(queue.restMs).toBeUndefined();
  for (const restMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    queue.failed('a');
    expect(queue.restMs).toBe(restMs);
    await clock.pass(restMs - 1);
    expect(queue.next()).toBeUndefined();
    await clock.pass(1);
    expect(queue.restMs).toBe(0);
    expect(queue.next()).toBe('a');
  }
});

test('an unschedulable pod is retried immediately on a change if no other pod is ready', () => {
  const queue = new SchedulingQueue(new VirtualClock());
  queue.add('a', 0);
  refuseNext(queue);
  expect(queue.next()).toBeUndefined();
  queue.wake(all);
  expect(queue.restMs).toBe(0);
  expect(queue.next()).toBe('a');
});

test('a backoff is cut short five times, and then no more', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  for (let turn = 0; turn < 6; turn++) {
    expect(refuseNext(queue)).toBe('a');
    queue.wake(all);
  }
  expect(queue.next()).toBeUndefined();
  expect(queue.restMs).toBe(10_000);
  await clock.pass(10_000);
  expect(queue.next()).toBe('a');
});

test('a pod past its backoff goes before one that is not, whatever their priorities', () => {
  const queue = new SchedulingQueue(new VirtualClock());
  queue.add('a', 10);
  refuseNext(queue);
  queue.add('b', 0);
  queue.wake(all);
  expect([queue.next(), queue.next()]).toEqual(['b', 'a']);
});

test('a pod that changes keeps its position and its backoff', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  queue.add('b', 0);
  refuseNext(queue);
  queue.add('a', 0);
  expect(refuseNext(queue)).toBe('b');
  await clock.pass(1000);
  expect(queue.next()).toBe('a');
});

test('a deleted pod is not woken', () => {
  const queue = new SchedulingQueue(new VirtualClock());
  queue.add('a', 0);
  refuseNext(queue);
  queue.delete('a');
  expect(queue.wake(all)).toBe(false);
  expect(queue.next()).toBeUndefined();
});

test('only a change that could help wakes a pod', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  queue.add('b', 0);
  refuseNext(queue);
  refuseNext(queue);
  expect(queue.wake(none)).toBe(false);
  expect(queue.wake((key) => key === 'b')).toBe(true);
  await clock.pass(1000);
  expect([queue.next(), queue.next()]).toEqual(['b', undefined]);
});

test('after five minutes an unschedulable pod is tried again without any change', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  refuseNext(queue);
  expect(queue.restMs).toBe(300_000);
  await clock.pass(299_999);
  expect(queue.next()).toBeUndefined();
  await clock.pass(1);
  expect(queue.next()).toBe('a');
});

test('pods whose backoffs end in the same second are ordered by priority', async () => {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue(clock);
  queue.add('a', 0);
  refuseNext(queue);
  await clock.pass(500);
  queue.add('b', 5);
  refuseNext(queue);
  queue.wake(all);
  expect(queue.next()).toBe('b');
});

test('any order of pods comes out sorted', () => {
  const queue = new SchedulingQueue(new VirtualClock());
  const priorities = [3, 9, 1, 7, 7, 0, 2, 8, 5, 4, 6];
  for (const [index, priority] of priorities.entries()) queue.add(String(index), priority);
  const taken = priorities.map(() => priorities[Number(queue.next())]);
  expect(taken).toEqual(priorities.toSorted((a, b) => b - a));
});
