import { describe, expect, test } from 'vitest';
import {
  created,
  killed,
  play,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import { assert } from '../../lib/assert.ts';
import { visitOrphan } from './replay.ts';
import type { Terminating } from './state.ts';

const web = pod('web');

/** An orphan whose last stop has failed. */
function failedStop(): Terminating {
  const { state } = play(created(web), killed(web), settled('sync'), settled('stop', 'failed'));
  assert(state.phase === 'terminating', 'the stop has failed');
  return state;
}

/** The seconds at which an orphan is tried, if every try fails at once and housekeeping never pauses. */
function tries(untilSeconds: number): readonly number[] {
  const tried: number[] = [];
  let state = failedStop();
  for (let seconds = 0; seconds <= untilSeconds; seconds += 2) {
    const visit = visitOrphan(state, seconds * 1000);
    ({ state } = visit);
    if (visit.repeats) tried.push(seconds);
  }
  return tried;
}

describe('F-12: how often the work of an orphan is repeated', () => {
  test('the waits double, from the housekeeping period up to five minutes', () => {
    expect(tries(2_000)).toEqual([0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 812, 1112, 1412, 1712]);
  });

  test('at one reading of the clock it is repeated on every housekeeping (PW-68)', () => {
    let state = failedStop();
    for (let visits = 0; visits < 5; visits++) {
      const visit = visitOrphan(state, 7_000);
      expect(visit.repeats).toBe(true);
      ({ state } = visit);
    }
  });

  test('the pod is marked as deleted, whether its work is repeated or not (PW-67)', () => {
    const waits = { ...failedStop(), replays: { firstAtMs: 0, lastAtMs: 60_000 } };
    const { state, repeats } = visitOrphan(waits, 61_000);
    expect(repeats).toBe(false);
    expect(state).toEqual({ ...waits, fate: { ...waits.fate, deleted: true } });
    expect(visitOrphan(state, 61_000).state).toBe(state);
  });

  test('a pending update is enough (PW-61)', () => {
    const { state } = play(created(web), killed(web), settled('sync'), updated(web));
    assert(state.phase === 'terminating', 'a stop is in flight');
    expect(visitOrphan(state, 0).repeats).toBe(false);
  });
});
