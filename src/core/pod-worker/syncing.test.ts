import { describe, expect, test } from 'vitest';
import {
  created,
  KEPT,
  kill,
  killed,
  killedInRuntime,
  ORPHANED,
  play,
  playFrom,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';

const web = pod('web', { graceSeconds: 30 });
const deleted = pod('web', { graceSeconds: 30, deletedWithin: 5 });
/** It runs, with nothing in flight. */
const syncing = play(created(web), settled('sync')).state;

describe('a syncing pod', () => {
  test('only the newest update is pending behind a sync, and follows it (PW-5, PW-55)', () => {
    const newest = pod('web', { graceSeconds: 3 });
    const { effects } = play(created(web), updated(web), updated(newest, 'sync'), settled('sync'));
    expect(effects.at(-1)).toMatchObject({ type: 'syncPod', updateType: 'sync', pod: newest });
  });

  test.each([
    ['done', 'resync'],
    ['failed', 'backoff'],
    ['cancelled', 'backoff'],
    ['networkNotReady', 'transient'],
  ] as const)('after a sync that ended %s the next look is: %s (PW-51 to PW-53)', (kind, name) => {
    const { state, effects } = play(created(web), settled('sync', kind));
    expect(state).toMatchObject({ phase: 'syncing', inFlight: null });
    expect(effects).toMatchObject([{ type: 'wakeAfter', delay: { name } }]);
  });

  test('a sync that reports the end of all containers ends the pod without a grace period (PW-46, PW-57)', () => {
    const { state, effects } = play(created(web), settled('sync', 'terminal'));
    expect(state.phase).toBe('terminating');
    expect(effects).toMatchObject([
      { type: 'wakeAfter', delay: { name: 'now' } },
      { type: 'stopPod', pod: web, graceSeconds: null },
    ]);
  });

  test.each([
    ['deletion', updated(deleted), { deleted: true, evicted: false }],
    ['final phase', updated(pod('web', { phase: 'Failed' })), { deleted: false, evicted: false }],
    ['eviction', killed(web, kill(1, { evict: true })), { deleted: false, evicted: true }],
    ['kill', killed(web), { deleted: false, evicted: false }],
    ['kill by the runtime', killedInRuntime('web'), { deleted: true, evicted: false }],
    ['loss of its source', ORPHANED, { deleted: true, evicted: false }],
  ] as const)('a %s ends it and cancels the sync in flight (PW-16, PW-23)', (_, event, fate) => {
    const { state, effects } = play(created(web), event);
    expect(state).toMatchObject({ phase: 'terminating', fate });
    expect(effects).toEqual([{ type: 'cancelInFlight' }]);
  });

  test('the first reason counts: a deleted pod that is evicted at once is only deleted (PW-16)', () => {
    const { state } = playFrom(syncing, killed(deleted, kill(1, { evict: true })));
    expect(state).toMatchObject({ fate: { deleted: true, evicted: false } });
  });

  test('an orphan stops with the grace period of its spec, even if an update was pending (V-4)', () => {
    const { effects } = play(created(web), updated(web), ORPHANED, settled('sync', 'cancelled'));
    expect(effects.at(-1)).toMatchObject({ type: 'stopPod', graceSeconds: 30 });
  });

  test('housekeeping leaves a desired pod alone', () => {
    expect(playFrom(syncing, KEPT)).toEqual({ state: syncing, effects: [], why: null });
  });
});
