import { expect, test } from 'vitest';
import { ReconnectBackoff } from './reconnect-backoff.ts';

test('the wait doubles from 0.8 s to 30 s', () => {
  const backoff = new ReconnectBackoff({ next: () => 0 });
  const waits = Array.from({ length: 8 }, () => backoff.next(0));
  expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
});

test('jitter adds up to as much again, so that nodes do not come back together', () => {
  const backoff = new ReconnectBackoff({ next: () => 0.999 });
  expect(backoff.next(0)).toBeCloseTo(1599.2);
});

test('two quiet minutes reset it, and not a moment less', () => {
  const backoff = new ReconnectBackoff({ next: () => 0 });
  backoff.next(0);
  expect(backoff.next(120_000)).toBe(1600);
  expect(backoff.next(240_001)).toBe(800);
});
