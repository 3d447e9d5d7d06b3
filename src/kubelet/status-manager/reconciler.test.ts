import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Reconciler } from './reconciler.ts';

interface Look {
  readonly uid: string;
  readonly atMs: number;
}

function make(count: number) {
  const clock = new VirtualClock();
  const looks: Look[] = [];
  const uids = Array.from({ length: count }, (_, index) => `uid-${index}`);
  const reconciler = new Reconciler({
    clock,
    periodMs: 10_000,
    uids: () => [...uids],
    look: (uid) => looks.push({ uid, atMs: clock.monotonic() }),
  });
  return { clock, looks, uids, reconciler };
}

/** How many pods were checked in each moment. */
function perMoment(looks: readonly Look[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { atMs } of looks) counts.set(atMs, (counts.get(atMs) ?? 0) + 1);
  return counts;
}

describe('every ten seconds (SM-4)', () => {
  test('the first check comes one period after the start, and not a moment sooner', async () => {
    const { clock, looks, reconciler } = make(1);
    reconciler.start();
    await clock.pass(9_999);
    expect(looks).toEqual([]);
    await clock.pass(1);
    expect(looks).toEqual([{ uid: 'uid-0', atMs: 10_000 }]);
  });

  test('then one in each period', async () => {
    const { clock, looks, reconciler } = make(3);
    reconciler.start();
    await clock.pass(30_000);
    expect([...perMoment(looks)]).toEqual([
      [10_000, 3],
      [20_000, 3],
      [30_000, 3],
    ]);
  });

  test('without any pods it continues, for those that will come', async () => {
    const { clock, looks, uids, reconciler } = make(0);
    reconciler.start();
    await clock.pass(60_000);
    uids.push('late');
    await clock.pass(10_000);
    expect(looks.map(({ uid }) => uid)).toEqual(['late']);
  });
});

describe('1000 pods', () => {
  test('each is checked once in a period, in any ten seconds', async () => {
    const { clock, looks, reconciler } = make(1000);
    reconciler.start();
    await clock.pass(40_000);
    for (const uid of ['uid-0', 'uid-499', 'uid-999']) {
      const times = looks.filter((look) => look.uid === uid).map(({ atMs }) => atMs);
      expect(times.length).toBeGreaterThanOrEqual(3);
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(new Set(gaps)).toEqual(new Set([10_000]));
    }
  });

  test('they are spread over the period: never more than a few at once', async () => {
    const { clock, looks, reconciler } = make(1000);
    reconciler.start();
    await clock.pass(19_999);
    expect(looks).toHaveLength(1000);
    const counts = perMoment(looks);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(50);
    const times = [...counts.keys()];
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([500]));
  });

  test('a pod that comes in the middle of a round is checked in the next', async () => {
    const { clock, looks, uids, reconciler } = make(1000);
    reconciler.start();
    await clock.pass(15_000);
    uids.push('late');
    await clock.pass(5_000);
    expect(looks.some(({ uid }) => uid === 'late')).toBe(false);
    await clock.pass(10_000);
    expect(looks.filter(({ uid }) => uid === 'late')).toHaveLength(1);
  });
});

describe('stopping', () => {
  test.each([0, 10_000, 12_000])('after %i ms no timer is left', async (ms) => {
    const { clock, looks, reconciler } = make(1000);
    reconciler.start();
    await clock.pass(ms);
    const before = looks.length;
    reconciler.stop();
    expect(clock.pending).toBe(0);
    await clock.pass(60_000);
    expect(looks).toHaveLength(before);
  });

  test('twice, or before the start, does nothing', () => {
    const { clock, reconciler } = make(1);
    reconciler.stop();
    reconciler.start();
    reconciler.stop();
    reconciler.stop();
    expect(clock.pending).toBe(0);
  });

  test('starting twice does not check twice', async () => {
    const { clock, looks, reconciler } = make(1);
    reconciler.start();
    reconciler.start();
    await clock.pass(10_000);
    expect(looks).toHaveLength(1);
  });
});
