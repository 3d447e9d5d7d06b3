import { expect, test } from 'vitest';
import { silentLog } from '../../test/support/silent-ports.ts';
import type { DecisionRecord } from '../ports/decision-log.ts';
import { DecisionHistory } from './decision-history.ts';

function decision(uid: string, why: string): DecisionRecord {
  const pod = { uid, name: uid, namespace: 'default' };
  return { atMs: 0, pod, machine: 'pod-worker', from: 'syncing', to: 'syncing', why };
}

function whys(records: readonly DecisionRecord[]): readonly string[] {
  return records.map(({ why }) => why);
}

test('each pod keeps its newest decisions, oldest first, and no more than its share', () => {
  const history = new DecisionHistory({ log: silentLog, recordsPerPodMax: 3 });
  for (const why of ['a', 'b', 'c', 'd']) history.record(decision('web', why));
  history.record(decision('db', 'x'));
  expect(whys(history.of('web'))).toEqual(['b', 'c', 'd']);
  expect(whys(history.of('db'))).toEqual(['x']);
  expect(history.of('nobody')).toEqual([]);
});

test('the pod that was silent longest is forgotten first', () => {
  const history = new DecisionHistory({ log: silentLog, podsMax: 2 });
  history.record(decision('a', '1'));
  history.record(decision('b', '1'));
  history.record(decision('a', '2'));
  history.record(decision('c', '1'));
  expect(whys(history.of('a'))).toEqual(['1', '2']);
  expect(history.of('b')).toEqual([]);
  expect(whys(history.of('c'))).toEqual(['1']);
});

test('what was handed out does not change when more is decided', () => {
  const history = new DecisionHistory({ log: silentLog });
  history.record(decision('a', '1'));
  const before = history.of('a');
  history.record(decision('a', '2'));
  expect(whys(before)).toEqual(['1']);
});

test('subscribers hear of every decision until they leave, and cannot stop one', () => {
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
