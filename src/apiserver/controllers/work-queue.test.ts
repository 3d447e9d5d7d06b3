import { expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { WorkQueue } from './work-queue.ts';

interface TestHarness {
  readonly queue: WorkQueue;
  readonly clock: VirtualClock;
  /** The keys in the order in which work began. */
  readonly begun: string[];
  readonly end: (key: string, error?: Error) => Promise<void>;
}

function openQueue(workersMax = 2): TestHarness {
  const clock = new VirtualClock();
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (key: string): Promise<void> => {
    begun.push(key);
    return new Promise((resolve, reject) => {
      ends.set(key, (error) => (error ? reject(error) : resolve()));
    });
  };
  const random = { next: () => 0 };
  const queue = new WorkQueue({ clock, random, log: silentLog, name: 'test', work, workersMax });
  const end = async (key: string, error?: Error): Promise<void> => {
    ends.get(key)?.(error);
    await promisesSettled();
  };
  return { queue, clock, begun, end };
}

test('a key that is added ten times while it waits is worked on once', async () => {
  const { queue, begun } = openQueue();
  for (let index = 0; index < 10; index++) queue.add('a');
  expect(begun).toEqual([]);
  await promisesSettled();
  expect(begun).toEqual(['a']);
});

test('a key that is added while it is worked on is worked on again, but not at the same time', async () => {
  const { queue, begun, end } = openQueue();
  queue.add('a');
  await promisesSettled();
  queue.add('a');
  await promisesSettled();
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'a']);
  await end('a');
  expect(begun).toEqual(['a', 'a']);
});

test('as many keys as there are workers are worked on at once, in order of arrival', async () => {
  const { queue, begun, end } = openQueue(2);
  for (const key of ['c', 'a', 'b']) queue.add(key);
  await promisesSettled();
  expect(begun).toEqual(['c', 'a']);
  await end('a');
  expect(begun).toEqual(['c', 'a', 'b']);
});

test('a failed key is retried after a delay that doubles, and success resets it', async () => {
  const { queue, clock, begun, end } = openQueue();
  queue.add('a');
  await promisesSettled();
  for (const waitMs of [5, 10, 20, 40]) {
    const count = begun.length;
    await end('a', new Error('no'));
    await clock.pass(waitMs - 1);
    expect(begun).toHaveLength(count);
    await clock.pass(1);
    expect(begun).toHaveLength(count + 1);
  }
  await end('a');
  queue.add('a');
  await promisesSettled();
  await end('a', new Error('no'));
  await clock.pass(5);
  expect(begun).toHaveLength(7);
});

test('the delay after failures has a maximum', async () => {
  const { queue, clock, begun, end } = openQueue();
  queue.add('a');
  await promisesSettled();
  for (let index = 0; index < 40; index++) {
    await end('a', new Error('no'));
    await clock.pass(1_000_000);
  }
  expect(begun).toHaveLength(41);
});

test('of two delays of one key, the earlier counts', async () => {
  const { queue, clock, begun } = openQueue();
  queue.addAfter('a', 50);
  queue.addAfter('a', 20);
  queue.addAfter('a', 90);
  await clock.pass(19);
  expect(begun).toEqual([]);
  await clock.pass(1);
  expect(begun).toEqual(['a']);
  expect(clock.pending).toBe(0);
});

test('a stop waits for work in progress, and nothing starts after it', async () => {
  const { queue, clock, begun, end } = openQueue(1);
  queue.add('a');
  queue.add('b');
  queue.addAfter('c', 10);
  await promisesSettled();
  let isStopped = false;
  void queue.stop().then(() => {
    isStopped = true;
  });
  queue.add('d');
  queue.addAfter('e', 1);
  await clock.pass(100);
  expect(isStopped).toBe(false);
  await end('a');
  expect(isStopped).toBe(true);
  expect(begun).toEqual(['a']);
  expect(clock.pending).toBe(0);
});

test('requests have their turn while many keys are worked on that wait for nothing', async () => {
  const clock = new VirtualClock();
  let nowMs = 0;
  const turns: number[] = [];
  const done: string[] = [];
  const slow = Object.assign(Object.create(clock) as VirtualClock, {
    monotonic: () => nowMs,
    turn: () => Promise.resolve(void turns.push(done.length)),
  });
  const work = (key: string): Promise<void> => {
    nowMs += 2;
    done.push(key);
    return Promise.resolve();
  };
  const random = { next: () => 0 };
  const queue = new WorkQueue({
    clock: slow,
    random,
    log: silentLog,
    name: 'test',
    work,
    workersMax: 1,
  });
  for (let index = 0; index < 10; index += 1) queue.add(`key-${index}`);
  await promisesSettled();
  expect(done).toHaveLength(10);
  expect(turns).toEqual([1, 4, 7, 10]);
});
