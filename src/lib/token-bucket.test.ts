import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

/** Takes as many as possible now, at most `most`. */
function takeAll(bucket: TokenBucket, nowMs: number, most = 1000): number {
  let taken = 0;
  while (taken < most && bucket.waitMs(nowMs) === 0) {
    bucket.take(nowMs);
    taken += 1;
  }
  return taken;
}

describe('the budget', () => {
  test('it starts full: the whole burst may be spent at once', () => {
    expect(takeAll(new TokenBucket(50, 100, 0), 0)).toBe(100);
  });

  test('after that, one comes back every so often, and not sooner', () => {
    const bucket = new TokenBucket(50, 2, 1000);
    expect(takeAll(bucket, 1000)).toBe(2);
    expect(bucket.waitMs(1000)).toBe(20);
    expect(bucket.waitMs(1019)).toBeGreaterThan(0);
    expect(bucket.waitMs(1020)).toBe(0);
    expect(takeAll(bucket, 1020)).toBe(1);
  });

  test('unused tokens are kept, but never more than the burst', () => {
    const bucket = new TokenBucket(10, 5, 0);
    expect(takeAll(bucket, 0)).toBe(5);
    expect(takeAll(bucket, 300)).toBe(3);
    expect(takeAll(bucket, 3_600_000)).toBe(5);
  });

  test('fractions of a token are not lost between two looks', () => {
    const bucket = new TokenBucket(1, 1, 0);
    bucket.take(0);
    for (let nowMs = 125; nowMs < 1000; nowMs += 125) {
      expect(bucket.waitMs(nowMs)).toBe(1000 - nowMs);
    }
    expect(takeAll(bucket, 1000)).toBe(1);
  });

  test('a rate below one a second works too', () => {
    const bucket = new TokenBucket(0.5, 1, 0);
    bucket.take(0);
    expect(bucket.waitMs(0)).toBe(2000);
  });

  test('a burst of less than one still lets one through', () => {
    expect(takeAll(new TokenBucket(5, 0, 0), 0)).toBe(1);
  });

  test('asking for the wait takes nothing', () => {
    const bucket = new TokenBucket(1, 1, 0);
    for (let look = 0; look < 10; look++) expect(bucket.waitMs(0)).toBe(0);
  });
});

test('KL-107: a rate of -1 is no limit', () => {
  expect(takeAll(new TokenBucket(-1, 1, 0), 0, 500)).toBe(500);
});

test('in no span of time more is taken than the burst and what the rate gives', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 30 }),
      (perSecond, burst, pausesMs) => {
        const bucket = new TokenBucket(perSecond, burst, 0);
        const looks: { readonly atMs: number; readonly taken: number }[] = [];
        for (const pauseMs of pausesMs) {
          const atMs = (looks.at(-1)?.atMs ?? 0) + pauseMs;
          looks.push({ atMs, taken: takeAll(bucket, atMs) });
        }
        for (const [index, { atMs: fromMs }] of looks.entries()) {
          let taken = 0;
          for (const look of looks.slice(index)) {
            taken += look.taken;
            const allowed = burst + ((look.atMs - fromMs) / 1000) * perSecond;
            expect(taken).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
      },
    ),
  );
});

test('a caller that waits for `waitMs` may take one then', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
      (perSecond, pausesMs) => {
        const bucket = new TokenBucket(perSecond, 3, 0);
        let nowMs = 0;
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          takeAll(bucket, nowMs);
          // Rounding may cost one more look, of a millisecond, but not two.
          const afterMs = nowMs + bucket.waitMs(nowMs);
          expect(bucket.waitMs(afterMs)).toBeLessThanOrEqual(1);
          expect(bucket.waitMs(afterMs + 1)).toBe(0);
          nowMs = afterMs + 1;
        }
      },
    ),
  );
});
