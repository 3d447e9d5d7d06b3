import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { crashBackOffWait, probeWait } from '../../core/pod-waits/wait-names.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import { PodWaits } from './pod-waits.ts';

const POD = { uid: 'uid-1', name: 'web', namespace: 'default' };
const READY = probeWait('readiness', 'app');

function make() {
  const clock = new VirtualClock();
  const records: DecisionRecord[] = [];
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => void errors.push(message) };
  const decisions = { record: (one: DecisionRecord) => void records.push(one) };
  return { clock, records, errors, log, waits: new PodWaits({ clock, decisions, log }) };
}

test('a wait counts its attempts since its first record, until it is over', async () => {
  const { clock, records, waits } = make();
  const began = clock.now();
  waits.wait(POD, READY, { why: 'refused', nextAtMs: began + 1000 });
  await clock.pass(1000);
  waits.wait(POD, READY, { why: 'refused', nextAtMs: began + 2000 });
  waits.over(POD, READY);
  waits.over(POD, READY);
  expect(records.map(({ from, to, attempts }) => ({ from, to, attempts }))).toEqual([
    { from: 'active', to: 'waiting', attempts: 1 },
    { from: 'waiting', to: 'waiting', attempts: 2 },
    { from: 'waiting', to: 'active', attempts: undefined },
  ]);
  expect(records[1]).toMatchObject({ pod: POD, sinceMs: began, nextAtMs: began + 2000 });
  expect(records[2]?.why).toBe(`no longer waits for ${READY.waitsFor}`);
});

test('what the caller knows better counts', () => {
  const { records, waits } = make();
  waits.wait(POD, crashBackOffWait('app'), { why: 'crashed', sinceMs: 7, attempts: 5 });
  expect(records).toMatchObject([{ sinceMs: 7, attempts: 5 }]);
  expect(records[0]).not.toHaveProperty('nextAtMs');
});

test('the waits of a pod are bounded, and further ones are still recorded', () => {
  const { records, waits } = make();
  for (let at = 0; at < 150; at++) waits.wait(POD, crashBackOffWait(`c${at}`), { why: 'crashed' });
  waits.over(POD, crashBackOffWait('c149'));
  expect(records).toHaveLength(150);
});

test('a decision log that fails is logged, and the caller goes on', () => {
  const { clock, errors, log } = make();
  const record = (): void => {
    throw new Error('broken');
  };
  new PodWaits({ clock, log, decisions: { record } }).wait(POD, READY, { why: 'refused' });
  expect(errors).toEqual(['Failed to add an entry to the decision history']);
});
