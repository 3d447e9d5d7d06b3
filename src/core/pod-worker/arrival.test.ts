import { describe, expect, test } from 'vitest';
import {
  ADMITTED,
  created,
  KEPT,
  kill,
  killed,
  killedInRuntime,
  orders,
  ORPHANED,
  play,
  playFrom,
  REFUSED,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import * as podWorker from './pod-worker.ts';

const web = pod('web', { graceSeconds: 30 });
const manifest = pod('web', { static: true });
const deleted = pod('web', { graceSeconds: 30, deletedWithin: 5 });
const waiting = play(created(manifest), REFUSED).state;

describe('first update of a pod', () => {
  test('a pod starts with a sync, and is counted with its containers (PW-39)', () => {
    const { state, effects } = play(created(pod('web', { containers: 3 })));
    expect(state.phase).toBe('syncing');
    expect(effects).toMatchObject([
      { type: 'countStart', containers: 3 },
      { type: 'syncPod', updateType: 'create', mirrorPod: null },
    ]);
  });

  test('a pod that is being deleted is stopped, never started (PW-16)', () => {
    const { state, effects } = play(created(deleted));
    expect(state).toMatchObject({ phase: 'terminating', fate: { deleted: true, evicted: false } });
    expect(effects.at(-1)).toMatchObject({ type: 'stopPod', graceSeconds: 5 });
  });

  test('a pod that is over, with nothing running, only releases its resources (PW-12)', () => {
    const over = pod('web', { phase: 'Failed' });
    expect(orders(play(created(over)))).toEqual(['countStart', 'releasePod']);
    expect(play(created(over)).state.phase).toBe('terminated');
  });

  test('a pod that is over but may still run is stopped first (PW-12)', () => {
    const over = updated(pod('web', { phase: 'Succeeded' }), 'create', { mayRun: true });
    expect(orders(play(over))).toEqual(['countStart', 'stopPod']);
  });

  test('a kill of a pod that was found stopped is complete at once (PW-17)', () => {
    const over = pod('web', { phase: 'Failed' });
    const { effects } = play(killed(over, kill(7)));
    expect(effects).toContainEqual({ type: 'completeKills', kills: [7] });
  });

  test('a pod that only the runtime knows is stopped with the shortest grace (PW-13, PW-34)', () => {
    const { state, effects } = play(killedInRuntime('ghost'));
    expect(state).toMatchObject({ phase: 'terminating', graceSeconds: 1, fate: { deleted: true } });
    expect(effects).toMatchObject([{ type: 'stopRuntimePod', runningPod: { uid: 'ghost' } }]);
  });
});

describe('static pods', () => {
  test('a static pod joins the queue of its name and asks for its turn (PW-20)', () => {
    const asked = play(created(manifest));
    expect(asked.state.phase).toBe('waiting');
    expect(orders(asked)).toEqual(['joinLine', 'askForTurn']);
  });

  test('a refused pod waits, and asks again after the back-off (PW-36)', () => {
    const refused = play(created(manifest), REFUSED);
    expect(refused.state.phase).toBe('waiting');
    expect(refused.effects).toEqual([
      { type: 'wakeAfter', delay: { name: 'backoff', retryAfterMs: null } },
    ]);
  });

  test('when its turn comes it starts with its newest update (PW-37)', () => {
    const newer = pod('web', { static: true, graceSeconds: 9 });
    const { state, effects } = playFrom(waiting, updated(newer), REFUSED, ADMITTED);
    expect(state.phase).toBe('syncing');
    expect(effects.at(-1)).toMatchObject({ type: 'syncPod', updateType: 'update', pod: newer });
  });

  test('a waiting pod that has to end is finished immediately, and its kill complete (PW-38, V-6)', () => {
    const { state, effects } = playFrom(waiting, killed(manifest, kill(3)));
    expect(state).toMatchObject({ phase: 'finished', how: 'neverStarted' });
    expect(effects).toEqual([{ type: 'completeKills', kills: [3] }, { type: 'leaveLine' }]);
  });

  test('a waiting pod that the runtime runs was not started by this worker (PW-38)', () => {
    const { state } = playFrom(waiting, killedInRuntime('web'));
    expect(state).toMatchObject({ phase: 'finished', fate: { deleted: true } });
  });

  test('a waiting pod that becomes an orphan is forgotten (PW-67)', () => {
    expect(playFrom(waiting, KEPT).state).toBe(waiting);
    const orphan = playFrom(waiting, ORPHANED);
    expect(orphan.state).toBe(podWorker.initial);
    expect(orders(orphan)).toEqual(['leaveLine']);
  });

  test('a static pod that was found stopped is finished without a release (PW-12)', () => {
    const { state, effects } = play(created(pod('web', { static: true, phase: 'Failed' })));
    expect(state).toMatchObject({ phase: 'finished', how: 'foundTerminated' });
    expect(effects).toEqual([{ type: 'joinLine' }, { type: 'leaveLine' }]);
  });

  test('a waiting pod that is no longer static leaves the queue and starts', () => {
    const asked = playFrom(waiting, updated(web));
    expect(asked.state.phase).toBe('syncing');
    expect(orders(asked)).toEqual(['leaveLine', 'countStart', 'syncPod']);
  });

  test('a static spec for a pod that only the runtime knew is stopped, not finished unstarted (PW-36)', () => {
    const { state, effects } = play(
      killedInRuntime('web'),
      updated(manifest),
      settled('stop', 'failed'),
    );
    expect(state.phase).toBe('terminating');
    expect(effects.at(-1)).toMatchObject({ type: 'stopPod', pod: manifest, graceSeconds: 1 });
  });
});
