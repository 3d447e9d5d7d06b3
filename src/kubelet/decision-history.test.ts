import { expect, test } from 'vitest';
import { silentLog } from '../../test/support/silent-ports.ts';
import type { DecisionRecord } from '../ports/observe/decision-log.ts';
import { DecisionHistory } from './decision-history.ts';

function decision(uid: string, why: string): DecisionRecord {
  const pod = { uid, name: uid, namespace: 'default' };
  return { atMs: 0, pod, machine: 'pod-worker', from: 'syncing', to: 'syncing', why };
}

function whys(records: readonly DecisionRecord[]): readonly string[] {
  return records.map(({ why }) => why);
}

test('each pod keeps its newest decisions, oldest first, up to the limit', () => {
  const history = new DecisionHistory({ log: silentLog, recordsPerPodMax: 3 });
  for (const why of ['a', 'b', 'c', 'd']) history.record(decision('web', why));
  history.record(decision('db', 'x'));
  expect(whys(history.of('web'))).toEqual(['b', 'c', 'd']);
  expect(whys(history.of('db'))).toEqual(['x']);
  expect(history.of('unknown')).toEqual([]);
});

test('the pod without a decision for the longest time is forgotten first', () => {
  const history = new DecisionHistory({ log: silentLog, podsMax: 2 });
  history.record(decision('a', '1'));
  history.record(decision('b', '1'));
  history.record(decision('a', '2'));
  history.record(decision('c', '1'));
  expect(whys(history.of('a'))).toEqual(['1', '2']);
  expect(history.of('b')).toEqual([]);
  expect(whys(history.of('c'))).toEqual(['1']);
});

test('a returned list does not change when more is decided', () => {
  const history = new DecisionHistory({ log: silentLog });
  history.record(decision('a', '1'));
  const before = history.of('a');
  history.record(decision('a', '2'));
  expect(whys(before)).toEqual(['1']);
});

test('subscribers get every decision until they unsubscribe, and cannot stop one', () => {
  const errors: string[] = [];
  const history = new DecisionHistory({
    log: { ...silentLog, error: (message) => void errors.push(message) },
  });
  const heard: string[] = [];
  history.subscribe(() => {
    throw new Error('broken');
  });
  const leave = history.subscribe(({ why }) => void heard.push(why));
  history.record(decision('a', '1'));
  leave();
  history.record(decision('a', '2'));
  expect(heard).toEqual(['1']);
  expect(errors).toHaveLength(2);
  expect(whys(history.of('a'))).toEqual(['1', '2']);
});

test('a wait that goes on is one record beside its first, with the steps of its last try', () => {
  const history = new DecisionHistory({ log: silentLog });
  const waiting = (attempts: number, sinceMs = 1): DecisionRecord => ({
    ...decision('web', `try ${attempts}`),
    machine: 'status-write',
    waitsFor: `the API server (last answer: error ${attempts})`,
    sinceMs,
    attempts,
  });
  history.record(decision('web', 'another machine'));
  for (let attempts = 1; attempts <= 9; attempts++) {
    history.record(waiting(attempts));
    history.record({ ...decision('web', 'woke'), machine: 'status-write' });
  }
  expect(whys(history.of('web'))).toEqual(['another machine', 'try 1', 'woke', 'try 9', 'woke']);
  history.record(waiting(1, 2));
  expect(whys(history.of('web')).slice(-2)).toEqual(['woke', 'try 1']);
});
