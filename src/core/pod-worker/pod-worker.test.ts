import { describe, expect, test } from 'vitest';
import {
  ADMITTED,
  created,
  KEPT,
  killed,
  play,
  playFrom,
  REFUSED,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import { InvariantError } from '../../lib/assert.ts';
import * as podWorker from './pod-worker.ts';

const web = pod('web', { graceSeconds: 30 });
/** It runs, with nothing in flight. */
const syncing = play(created(web), settled('sync')).state;
const stopping = playFrom(syncing, killed(web)).state;
const releasing = playFrom(stopping, settled('stop')).state;
const finished = playFrom(releasing, settled('release')).state;

describe('the same UID, created again (PW-14, PW-83)', () => {
  test.each([
    ['terminating', stopping],
    ['terminated', releasing],
    ['finished', finished],
  ] as const)('a %s pod is forgotten as soon as it is finished', (_, state) => {
    const asked = playFrom(state, created(web));
    expect(asked.state).toMatchObject({ phase: state.phase, fate: { restartRequested: true } });
    expect(asked.effects).toEqual([]);
    expect(playFrom(asked.state, created(web)).state).toBe(asked.state);

    const over = {
      terminating: [settled('stop'), settled('release')],
      terminated: [settled('release')],
      finished: [],
    };
    const rest = over[state.phase as keyof typeof over];
    expect(playFrom(asked.state, ...rest, KEPT).state).toBe(podWorker.initial);
  });

  test('a pod that still runs is not created again, only updated (PW-33)', () => {
    expect(playFrom(syncing, created(web)).effects).toMatchObject([
      { type: 'syncPod', updateType: 'create' },
    ]);
  });
});

describe('metrics', () => {
  test('a turn is measured from the oldest start that waited for it (PW-21, PW-44)', () => {
    const { effects } = play(
      created(web),
      updated(web, 'update', { startedAtMs: 100 }),
      updated(web, 'sync', { startedAtMs: 200 }),
      settled('sync'),
      settled('sync'),
    );
    expect(effects[0]).toEqual({ type: 'measureTurn', operation: 'sync', startedAtMs: 100 });
  });

  test('the turn that finishes a pod is called terminated (PW-38, PW-44)', () => {
    const start = { startedAtMs: 100 };
    const last = playFrom(
      playFrom(releasing, settled('release', 'failed')).state,
      updated(web, 'sync', start),
      settled('release'),
    );
    const measured = { type: 'measureTurn', operation: 'terminated', startedAtMs: 100 };
    expect(last.effects[0]).toEqual(measured);
    const unstarted = updated(pod('web', { static: true, phase: 'Failed' }), 'create', start);
    expect(play(unstarted).effects).toContainEqual(measured);
  });
});

describe('broken rules', () => {
  test.each([
    ['work that was never started', syncing, settled('sync')],
    ['other work than what runs', stopping, settled('release')],
    ['work of a pod that is over', finished, settled('release')],
    ['a turn for a pod that does not wait', syncing, ADMITTED],
    ['an answer for a pod that nobody knows', podWorker.initial, REFUSED],
  ] as const)('%s is a mistake of ours', (_, state, event) => {
    expect(() => podWorker.decide(state, event, 0)).toThrow(InvariantError);
  });
});
