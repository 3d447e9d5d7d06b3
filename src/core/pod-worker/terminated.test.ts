import { describe, expect, test } from 'vitest';
import {
  created,
  KEPT,
  kill,
  killed,
  killedInRuntime,
  orders,
  ORPHANED,
  play,
  playFrom,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import type { Terminated } from './state.ts';

const web = pod('web', { graceSeconds: 30 });
const deleted = pod('web', { graceSeconds: 30, deletedWithin: 5 });
/** It runs, with nothing in flight. */
const syncing = play(created(web), settled('sync')).state;
const stopping = playFrom(syncing, killed(web)).state;
const releasing = playFrom(stopping, settled('stop')).state;

describe('a terminated pod', () => {
  test('a release that succeeded finishes it', () => {
    const over = playFrom(releasing, settled('release'));
    expect(over.state).toMatchObject({ phase: 'finished', how: 'released', static: false });
    expect(over.effects).toEqual([{ type: 'leaveLine' }]);
  });

  test('a failed release is tried again, with the pending update or the next', () => {
    const failed = playFrom(releasing, settled('release', 'failed'));
    expect(orders(failed)).toEqual(['wakeAfter']);
    expect(orders(playFrom(failed.state, updated(web)))).toEqual(['releasePod']);
    const waited = playFrom(releasing, updated(web), settled('release', 'failed'));
    expect(orders(waited)).toEqual(['wakeAfter', 'releasePod']);
  });

  test('a kill is complete immediately, and marks the pod (PW-17, V-3)', () => {
    const { state, effects } = playFrom(releasing, killed(deleted, kill(9, { evict: true })));
    expect(effects).toEqual([{ type: 'completeKills', kills: [9] }]);
    expect(state).toMatchObject({ phase: 'terminated', fate: { deleted: true, evicted: true } });
  });

  test('a kill from the runtime comes from an old listing, and is only completed (PW-17)', () => {
    const { state, effects } = playFrom(releasing, killedInRuntime('web', kill(9)));
    expect(state).toBe(releasing);
    expect(effects).toEqual([{ type: 'completeKills', kills: [9] }]);
  });

  test('an orphan whose release failed is tried again by housekeeping (PW-68)', () => {
    const failed = playFrom(releasing, settled('release', 'failed'));
    const tried = playFrom(failed.state, ORPHANED);
    expect(orders(tried)).toEqual(['releasePod']);
    expect((tried.state as Terminated).fate.deleted).toBe(true);
  });

  test('the retries of an orphan get rarer, and start over if a source has it again (F-12)', () => {
    const failed = playFrom(releasing, settled('release', 'failed')).state;
    const tried: Terminated = {
      ...(failed as Terminated),
      replays: { firstAtMs: -90_000, lastAtMs: -1_000 },
    };
    expect(orders(playFrom(tried, ORPHANED))).toEqual([]);
    expect(orders(playFrom(tried, KEPT, ORPHANED))).toEqual(['releasePod']);
    expect(playFrom(failed, KEPT)).toEqual({ state: failed, effects: [], why: null });
  });
});
