import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../../test/support/pod-worker-events.ts';
import { delayAfter, delayMs } from './delay.ts';
import type { Delay } from './delay.ts';

const settings = { resyncMs: 60_000, backOffMs: 10_000 };
const backoff = (retryAfterMs: number | null): Delay => ({ name: 'backoff', retryAfterMs });

describe('how long until the next sync', () => {
  test.each([
    ['a pod that moved on: at once (PW-50)', { name: 'now' }, 0],
    ['a network that was not ready: a second (PW-52)', { name: 'transient' }, 1_000],
    ['a pod that is well: the resync interval (PW-51)', { name: 'resync' }, 60_000],
    ['a failure: the back-off period (PW-53)', backoff(null), 10_000],
    ['a back-off that ends soon: then (PW-53)', backoff(3_000), 3_000],
    ['a back-off that has ended: at once (PW-53)', backoff(-5_000), 0],
    ['a back-off that is long: not beyond the resync (PW-53)', backoff(300_000), 60_000],
  ] as const)('%s', (_, delay, ms) => {
    expect(delayMs(delay, settings, 0)).toBe(ms);
  });

  test('jitter adds up to half of the delay (PW-54)', () => {
    const delays: readonly Delay[] = [
      { name: 'now' },
      { name: 'transient' },
      { name: 'resync' },
      backoff(null),
      backoff(7_777),
    ];
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const property = fc.property(fc.constantFrom(...delays), chance, (delay, luck) => {
      const plain = delayMs(delay, settings, 0);
      const ms = delayMs(delay, settings, luck);
      expect(ms).toBeGreaterThanOrEqual(plain);
      expect(ms).toBeLessThanOrEqual(plain * 1.5);
    });
    fc.assert(property);
    expect(delayMs({ name: 'resync' }, settings, 0.5)).toBe(75_000);
  });
});

test.each([
  ['done', { name: 'resync' }],
  ['terminal', { name: 'now' }],
  ['networkNotReady', { name: 'transient' }],
  ['cancelled', { name: 'backoff', retryAfterMs: null }],
  ['failed', { name: 'backoff', retryAfterMs: null }],
] as const)('work that ended %s asks for %o', (kind, delay) => {
  expect(delayAfter(outcome(kind))).toEqual(delay);
});

test('a failure passes on the end of its back-off', () => {
  const failed = { kind: 'failed', reason: 'crashed', retryAfterMs: 40_000 } as const;
  expect(delayAfter(failed)).toEqual({ name: 'backoff', retryAfterMs: 40_000 });
});
