import { describe, expect, test } from 'vitest';
import {
  created,
  kill,
  killed,
  killedInRuntime,
  ORPHANED,
  play,
  playFrom,
  REFUSED,
  settled,
  updated,
} from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import * as podWorker from './pod-worker.ts';
import * as query from './query.ts';
import type { State } from './state.ts';

const web = pod('web');
const manifest = pod('web', { static: true });

const U = podWorker.initial;
const W = play(created(manifest), REFUSED).state;
const S = play(created(web)).state;
const T0 = playFrom(S, killed(web)).state;
const T1 = playFrom(T0, settled('sync')).state;
const D = playFrom(T1, settled('stop')).state;
const F = playFrom(D, settled('release')).state;

const QUESTIONS = {
  isKnownTerminated: query.isKnownTerminated,
  couldHaveRunningContainers: query.couldHaveRunningContainers,
  shouldBeFinished: query.shouldBeFinished,
  isTerminationRequested: query.isTerminationRequested,
  shouldContainersBeTerminating: query.shouldContainersBeTerminating,
  shouldRuntimeBeRemoved: query.shouldRuntimeBeRemoved,
  shouldContentBeRemoved: query.shouldContentBeRemoved,
} as const;

// The table of PW-70 to PW-76: a letter stands for yes, a dash for no.
test.each([
  ['PW-70', 'isKnownTerminated', '------DF'],
  ['PW-71', 'couldHaveRunningContainers', 'U-WSTT--'],
  ['PW-72', 'shouldBeFinished', '-U-----F'],
  ['PW-73', 'isTerminationRequested', '----TTDF'],
  ['PW-74', 'shouldContainersBeTerminating', '-U---TDF'],
  ['PW-75', 'shouldRuntimeBeRemoved', '-U----DF'],
  ['PW-76', 'shouldContentBeRemoved', '-U------'],
] as const)('%s %s answers %s', (_, question, row) => {
  const columns: readonly (readonly [State, boolean])[] = [
    [U, false],
    [U, true],
    [W, true],
    [S, true],
    [T0, true],
    [T1, true],
    [D, true],
    [F, true],
  ];
  const answers = columns.map(([state, synced]) => QUESTIONS[question](state, synced));
  expect(answers).toEqual(Array.from(row, (letter) => letter !== '-'));
});

describe('PW-76: when the content of a pod may be removed', () => {
  test('of an evicted pod, as soon as its end is decided', () => {
    const evicted = playFrom(S, killed(web, kill(1, { evict: true })));
    expect(query.shouldContentBeRemoved(evicted.state, true)).toBe(true);
  });

  test('of a deleted pod, once its containers have stopped', () => {
    const asked = playFrom(S, updated(pod('web', { deletedWithin: 5 })), settled('sync'));
    expect(query.shouldContentBeRemoved(asked.state, true)).toBe(false);
    const stopped = playFrom(asked.state, settled('stop'));
    expect(query.shouldContentBeRemoved(stopped.state, true)).toBe(true);
  });
});

describe('PW-74: a static pod that ended before its turn', () => {
  test('has no containers that could be terminating', () => {
    const { state } = playFrom(W, killed(manifest));
    expect(query.shouldContainersBeTerminating(state, true)).toBe(false);
    expect(query.shouldBeFinished(state, true)).toBe(true);
  });

  test('had some if it was found stopped', () => {
    const { state } = play(created(pod('web', { static: true, phase: 'Failed' })));
    expect(query.shouldContainersBeTerminating(state, true)).toBe(true);
  });
});

test('PW-77: a mirror pod is kept while its static pod terminates, and no longer', () => {
  const answers = [U, W, S, T0, T1, D, F].map((state) => query.isTerminating(state));
  expect(answers).toEqual([false, false, false, true, true, false, false]);
});

describe('PW-3, PW-66: what housekeeping gets', () => {
  test.each([
    ['waiting', W, { state: 'sync', hasConfig: true, static: true }],
    ['syncing', S, { state: 'sync', hasConfig: true, static: false }],
    ['terminating', T1, { state: 'terminating', hasConfig: true, static: false }],
    ['terminated', D, { state: 'terminated', hasConfig: true, static: false }],
    ['finished', F, { state: 'terminated', hasConfig: true, static: false }],
  ] as const)('a %s pod', (_, state, summary) => {
    expect(query.summarize(state, true)).toEqual({ ...summary, orphan: true });
    expect(query.summarize(state, false)).toEqual({ ...summary, orphan: false });
  });

  test('a pod that only the runtime knows has no config, even if a spec is pending', () => {
    const { state } = play(killedInRuntime('web'), updated(manifest));
    const summary = { state: 'terminating', orphan: true, hasConfig: false, static: false };
    expect(query.summarize(state, true)).toEqual(summary);
  });

  test('a static pod that never started has no config', () => {
    const { state } = playFrom(W, killed(manifest));
    const summary = { state: 'terminated', orphan: false, hasConfig: false, static: false };
    expect(query.summarize(state, false)).toEqual(summary);
  });

  test('a static pod stays static to its end', () => {
    const started = playFrom(W, { type: 'admitted' }).state;
    const over = playFrom(
      started,
      settled('sync', 'terminal'),
      settled('stop'),
      settled('release'),
    );
    expect(query.summarize(over.state, false)).toMatchObject({ state: 'terminated', static: true });
  });

  test('a forgotten pod is not mentioned', () => {
    expect(query.summarize(playFrom(F, ORPHANED).state, true)).toBeNull();
  });
});
