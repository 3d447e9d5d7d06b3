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
import * as podWorker from './pod-worker.ts';

const web = pod('web', { graceSeconds: 30 });
const deleted = pod('web', { graceSeconds: 30, deletedWithin: 5 });
/** It runs, with nothing in flight. */
const syncing = play(created(web), settled('sync')).state;
const stopping = playFrom(syncing, killed(web)).state;

describe('a terminating pod', () => {
  test('nothing is stopped before the last sync has settled, however it ends', () => {
    for (const kind of ['done', 'terminal', 'failed', 'cancelled', 'networkNotReady'] as const) {
      const asked = play(created(web), killed(web));
      expect(orders(asked)).toEqual(['cancelInFlight']);
      const after = playFrom(asked.state, settled('sync', kind));
      expect(after.state).toMatchObject({ phase: 'terminating', inFlight: { work: 'stop' } });
      expect(orders(after)).toEqual(['wakeAfter', 'stopPod']);
    }
  });

  test('a shorter grace period cancels the stop and starts another with less time (F-8)', () => {
    const hurried = playFrom(stopping, updated(deleted));
    expect(hurried.effects).toEqual([{ type: 'cancelInFlight' }]);
    const again = playFrom(hurried.state, settled('stop', 'cancelled'));
    expect(again.effects.at(-1)).toMatchObject({ type: 'stopPod', graceSeconds: 5 });
  });

  test('a longer grace period changes nothing (PW-45)', () => {
    const patient = playFrom(stopping, killed(web, kill(2, { graceSeconds: 600 })));
    expect(patient.state).toMatchObject({ graceSeconds: 30 });
    expect(patient.effects).toEqual([]);
  });

  test('a first grace period for a pod that ended by itself cancels nothing (PW-23)', () => {
    const ended = play(created(web), settled('sync', 'terminal'));
    const asked = playFrom(ended.state, killed(web));
    expect(asked.state).toMatchObject({ graceSeconds: 30 });
    expect(asked.effects).toEqual([]);
  });

  test('only the status of the newest kill counts (A-57)', () => {
    const words = { overridesStatus: true };
    const { effects } = play(
      created(web),
      killed(web, kill(1, words)),
      killed(web, kill(2, words)),
      killed(web, kill(3)),
      settled('sync'),
    );
    expect(effects.at(-1)).toMatchObject({ type: 'stopPod', statusFrom: 2 });
  });

  test('every kill is complete when the containers have stopped, in order (PW-18, PW-58)', () => {
    const { state, effects } = playFrom(
      stopping,
      killed(web, kill(8)),
      killed(web, kill(5)),
      settled('stop'),
    );
    expect(state.phase).toBe('terminated');
    expect(effects).toMatchObject([
      { type: 'completeKills', kills: [1, 8, 5] },
      { type: 'wakeAfter', delay: { name: 'now' } },
      { type: 'releasePod' },
    ]);
  });

  test('a failed stop is tried again on the next update (PW-53)', () => {
    const failed = playFrom(stopping, settled('stop', 'failed'));
    expect(failed.state).toMatchObject({ phase: 'terminating', inFlight: null });
    const again = playFrom(failed.state, updated(web, 'sync'));
    expect(again.effects).toMatchObject([{ type: 'stopPod', graceSeconds: 30 }]);
  });

  test('it can still be marked as deleted and evicted (V-3)', () => {
    const marked = playFrom(stopping, updated(deleted), killed(web, kill(2, { evict: true })));
    expect(marked.state).toMatchObject({ fate: { deleted: true, evicted: true } });
  });

  test('a kill from the runtime does not mark it as deleted (V-3)', () => {
    const { state } = playFrom(stopping, killedInRuntime('web', kill(2)));
    expect(state).toMatchObject({ fate: { deleted: false } });
  });

  test('a kill from the runtime takes the pending spec, if there is one (PW-13)', () => {
    const newer = pod('web', { graceSeconds: 30, containers: 2 });
    const { effects } = playFrom(
      stopping,
      updated(newer),
      killedInRuntime('web', kill(2)),
      settled('stop', 'failed'),
    );
    expect(effects.at(-1)).toMatchObject({ type: 'stopPod', pod: newer });
  });

  test('a pod without a spec is forgotten when it has stopped, and its kills complete (PW-59)', () => {
    const gone = play(killedInRuntime('ghost', kill(4)), settled('stop'));
    expect(gone.state).toBe(podWorker.initial);
    expect(gone.effects).toEqual([{ type: 'completeKills', kills: [4] }]);
  });

  test('an orphan that failed to stop is tried again by housekeeping (PW-68)', () => {
    const failed = playFrom(stopping, settled('stop', 'failed'));
    expect(playFrom(failed.state, KEPT).state).toBe(failed.state);
    const tried = playFrom(failed.state, ORPHANED);
    expect(tried.state).toMatchObject({ fate: { deleted: true } });
    expect(tried.effects).toMatchObject([{ type: 'stopPod', graceSeconds: 30 }]);
  });

  test('an orphan in the middle of a stop gets one more try after it (PW-61)', () => {
    const again = playFrom(stopping, ORPHANED, ORPHANED, settled('stop', 'failed'));
    expect(orders(again)).toEqual(['wakeAfter', 'stopPod']);
    expect(orders(playFrom(again.state, settled('stop', 'failed')))).toEqual(['wakeAfter']);
  });
});
