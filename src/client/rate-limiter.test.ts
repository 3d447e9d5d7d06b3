import { expect, test } from 'vitest';
import { promisesSettled, VirtualClock } from '../../test/support/virtual-clock.ts';
import { RateLimiter } from './rate-limiter.ts';

test('requests go out in order of arrival, at the allowed rate (KL-107)', async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ qps: 1, burst: 1 }, clock);
  const gone: string[] = [];
  for (const name of ['a', 'b', 'c']) void limiter.wait().then(() => gone.push(name));
  await promisesSettled();
  expect(gone).toEqual(['a']);
  await clock.pass(1000);
  expect(gone).toEqual(['a', 'b']);
  await clock.pass(1000);
  expect(gone).toEqual(['a', 'b', 'c']);
  expect(clock.pending).toBe(0);
});

test('a rate of -1 is no limit', async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ qps: -1, burst: 1 }, clock);
  await Promise.all(Array.from({ length: 1000 }, () => limiter.wait()));
  expect(clock.pending).toBe(0);
});

test('a request that is aborted while waiting leaves its turn to the next', async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ qps: 1, burst: 1 }, clock);
  await limiter.wait();
  const abort = new AbortController();
  const left = limiter.wait(abort.signal).catch((error: unknown) => error);
  const stayed = limiter.wait();
  abort.abort(new Error('enough'));
  expect(await left).toBe(abort.signal.reason);
  await clock.pass(1000);
  await stayed;
  expect(clock.pending).toBe(0);
});

test('no request overtakes those that wait, though a token may be free again', async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ qps: 1, burst: 1 }, clock);
  await limiter.wait();
  const gone: string[] = [];
  void limiter.wait().then(() => gone.push('early'));
  await clock.pass(999);
  void limiter.wait().then(() => gone.push('late'));
  await clock.pass(1);
  expect(gone).toEqual(['early']);
});
