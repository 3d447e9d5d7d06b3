import { expect, test } from 'vitest';
import { PullLanes } from './pull-lanes.ts';

const NEVER = new AbortController().signal;

/** Work that ends when it is told to. */
function work() {
  let end = (): void => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end: () => end() };
}

test('no more than so many run at once, and the first to come is the first to go', async () => {
  const lanes = new PullLanes(2);
  const begun: string[] = [];
  const jobs = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...work() }));
  const runs = jobs.map(({ name, done }) =>
    lanes.run(NEVER, async () => {
      begun.push(name);
      await done;
    }),
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

test('who leaves the line loses the turn, and a failure frees the lane', async () => {
  const lanes = new PullLanes(1);
  const first = work();
  const failing = lanes.run(NEVER, () =>
    first.done.then(() => {
      throw new Error('no');
    }),
  );
  const abort = new AbortController();
  const leaving = lanes.run(abort.signal, () => Promise.resolve('late'));
  const last = lanes.run(NEVER, () => Promise.resolve('last'));
  abort.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  first.end();
  await expect(failing).rejects.toThrow('no');
  expect(await last).toBe('last');
});
