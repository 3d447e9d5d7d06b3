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
import * as podWorker from './pod-worker.ts';

const web = pod('web', { graceSeconds: 30 });
const deleted = pod('web', { graceSeconds: 30, deletedWithin: 5 });
/** It runs, with nothing in flight. */
const syncing = play(created(web), settled('sync')).state;
const stopping = playFrom(syncing, killed(web)).state;
const releasing = playFrom(stopping, settled('stop')).state;
const finished = playFrom(releasing, settled('release')).state;

describe('a finished pod', () => {
  test('no update starts it again (PW-15)', () => {
    for (const event of [updated(web), updated(deleted, 'sync')]) {
      expect(playFrom(finished, event)).toEqual({ state: finished, effects: [], why: null });
    }
  });

  test('a kill is complete at once (V-2)', () => {
    for (const event of [killed(web, kill(6)), killedInRuntime('web', kill(6))]) {
      const { state, effects } = playFrom(finished, event);
      expect(state).toBe(finished);
      expect(effects).toEqual([{ type: 'completeKills', kills: [6] }]);
    }
  });

  test('it is remembered while a source knows it, and forgotten after that (PW-65)', () => {
    expect(playFrom(finished, KEPT).state).toBe(finished);
    expect(playFrom(finished, ORPHANED).state).toBe(podWorker.initial);
  });
});
