import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { container, podOf } from '../../../test/support/pod-parts.ts';
import {
  advance,
  backOffKey,
  backOffMessage,
  crashBackOffLimits,
  isBackOffExpired,
  waitsUntil,
  type BackOff,
} from './crash-backoff.ts';

const SECOND = 1000;

/** A container that crashes the moment it may start, again and again: the delays it sees. */
function crashLoop(turns: number): readonly number[] {
  const delays: number[] = [];
  let backOff: BackOff | undefined;
  let now = 0;
  for (let turn = 0; turn < turns; turn++) {
    const until = waitsUntil(backOff, now, now);
    delays.push(until === undefined ? 0 : (until - now) / SECOND);
    now = until ?? now;
    backOff = advance(backOff, now, now);
  }
  return delays;
}

describe('KL-51: the delays of a crash loop', () => {
  test('the first restart is immediate, then the delay doubles up to five minutes', () => {
    expect(crashLoop(9)).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test.each([
    [10, '10s'],
    [20, '20s'],
    [40, '40s'],
    [80, '1m20s'],
    [160, '2m40s'],
    [300, '5m0s'],
  ])('%s seconds are said as %s', (seconds, text) => {
    const backOff = { delayMs: seconds * SECOND, advancedAt: 0 };
    expect(backOffMessage(backOff, podOf(), container('app'))).toBe(
      `back-off ${text} restarting failed container=app pod=web_default(uid-1)`,
    );
  });
});

describe('KL-50: whether a container waits', () => {
  const backOff = { delayMs: 10 * SECOND, advancedAt: 0 };

  test('the delay counts from the end of the last run, not from its start', () => {
    const finishedAt = 90 * SECOND;
    expect(waitsUntil(backOff, finishedAt, 95 * SECOND)).toBe(100 * SECOND);
    expect(waitsUntil(backOff, finishedAt, 100 * SECOND - 1)).toBe(100 * SECOND);
  });

  test('when the delay is over, to the millisecond, it starts', () => {
    expect(waitsUntil(backOff, 90 * SECOND, 100 * SECOND)).toBeUndefined();
  });

  test('without an entry there is nothing to wait for', () => {
    expect(waitsUntil(undefined, 90 * SECOND, 90 * SECOND)).toBeUndefined();
  });
});

describe('KL-52: a healthy run resets the back-off', () => {
  const backOff = { delayMs: 160 * SECOND, advancedAt: 1000 * SECOND };

  test('if it ended more than ten minutes after the last step', () => {
    const finishedAt = 1600 * SECOND + 1;
    expect(waitsUntil(backOff, finishedAt, finishedAt)).toBeUndefined();
    expect(advance(backOff, finishedAt, finishedAt)).toEqual({
      delayMs: 10 * SECOND,
      advancedAt: finishedAt,
    });
  });

  test('but not after exactly ten', () => {
    const finishedAt = 1600 * SECOND;
    expect(waitsUntil(backOff, finishedAt, finishedAt)).toBe(finishedAt + 160 * SECOND);
    expect(advance(backOff, finishedAt, finishedAt).delayMs).toBe(300 * SECOND);
  });

  test('and ten minutes are ten minutes even where the longest wait is a short one', () => {
    const short = { delayMs: 2 * SECOND, advancedAt: 0 };
    expect(advance(short, 599 * SECOND, 599 * SECOND, crashBackOffLimits(2 * SECOND))).toEqual({
      delayMs: 2 * SECOND,
      advancedAt: 599 * SECOND,
    });
  });

  test('a long wait before the restart is not a healthy run', () => {
    const next = advance(backOff, 1001 * SECOND, 9000 * SECOND);
    expect(next).toEqual({ delayMs: 300 * SECOND, advancedAt: 9000 * SECOND });
  });
});

test('KL-64: an entry is forgotten ten minutes after its last step', () => {
  const backOff = { delayMs: 10 * SECOND, advancedAt: 5 };
  expect(isBackOffExpired(backOff, 600 * SECOND + 5)).toBe(false);
  expect(isBackOffExpired(backOff, 600 * SECOND + 6)).toBe(true);
});

describe('KL-53: a node may set its longest wait', () => {
  test('longer or shorter than five minutes; the first wait is ten seconds at most', () => {
    expect(crashBackOffLimits(300 * SECOND)).toEqual({
      initialMs: 10 * SECOND,
      maxMs: 300 * SECOND,
    });
    expect(crashBackOffLimits(60 * SECOND)).toEqual({ initialMs: 10 * SECOND, maxMs: 60 * SECOND });
    expect(crashBackOffLimits(3 * SECOND)).toEqual({ initialMs: 3 * SECOND, maxMs: 3 * SECOND });
  });

  test('and no delay exceeds it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.array(fc.nat(700)), (max, pauses) => {
        const limits = crashBackOffLimits(max * SECOND);
        let backOff: BackOff | undefined;
        let now = 0;
        for (const pause of pauses) {
          now += pause * SECOND;
          const next = advance(backOff, now, now, limits);
          expect(next.delayMs).toBeLessThanOrEqual(limits.maxMs);
          expect(next.delayMs).toBeGreaterThanOrEqual(limits.initialMs);
          backOff = next;
        }
      }),
    );
  });
});

describe('KL-52: what a back-off belongs to', () => {
  const pod = podOf();
  const app = container('app', { resources: { limits: { cpu: '1' } } });
  const key = backOffKey(pod, app);

  test('the same container of the same pod', () => {
    expect(backOffKey(podOf(), structuredClone(app))).toBe(key);
  });

  test('whatever else changes in it', () => {
    expect(backOffKey(pod, { ...app, livenessProbe: {} })).toBe(key);
    const moved = podOf({}, { metadata: { generation: 9 }, status: { phase: 'Running' } });
    expect(backOffKey(moved, app)).toBe(key);
  });

  test.each([
    ['another image', pod, { ...app, image: 'app:2' }],
    ['other resources', pod, { ...app, resources: { limits: { cpu: '2' } } }],
    ['no resources', pod, container('app')],
    ['another container', pod, { ...app, name: 'other' }],
    ['another UID', podOf({}, { metadata: { uid: 'uid-2' } }), app],
    ['another name', podOf({}, { metadata: { name: 'db' } }), app],
    ['another namespace', podOf({}, { metadata: { namespace: 'prod' } }), app],
  ])('%s begins a new one', (_name, other, changed) => {
    expect(backOffKey(other, changed)).not.toBe(key);
  });
});
