import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const NEVER = new AbortController().signal;

/** Work that ends on request. */
function work() {
  let end = (): void => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end: () => end() };
}

test('no more than the limit run at once, first come, first served', async () => {
  const places = new Semaphore(2);
  const begun: string[] = [];
  const jobs = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...work() }));
  const runs = jobs.map(({ name, done }) =>
    places.run(async () => {
      begun.push(name);
      await done;
    }, NEVER),
  );
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  jobs[1]?.end();
  await runs[1];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const { end } of jobs) end();
  await Promise.all(runs);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('an aborted waiter loses its turn, and a failure releases the slot', async () => {
  const places = new Semaphore(1);
  const first = work();
  const failing = places.run(
    () =>
      first.done.then(() => {
        throw new Error('no');
      }),
    NEVER,
  );
  const abort = new AbortController();
  const leaving = places.run(() => Promise.resolve('late'), abort.signal);
  const last = places.run(() => Promise.resolve('last'));
  abort.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  first.end();
  await expect(failing).rejects.toThrow('no');
  expect(await last).toBe('last');
});
