import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/pod-status/status-record.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import type { LogFacts } from '../../ports/log.ts';
import { MemoryPodManager } from '../../../test/support/memory-pod-manager.ts';
import { podOf } from '../../../test/support/pod-parts.ts';
import { noProbes, silentLog, silentStatusObserver } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { StatusDecisions } from './status-decisions.ts';

function make() {
  const clock = new VirtualClock();
  const written: number[] = [];
  const decisions: DecisionRecord[] = [];
  const logged: (readonly [string, string, LogFacts | undefined])[] = [];
  const statusDecisions = new StatusDecisions({
    clock,
    random: { next: () => 0 },
    pods: new MemoryPodManager(),
    probes: noProbes,
    decisions: { record: (decision) => decisions.push(decision) },
    log: {
      ...silentLog,
      warn: (message, facts) => logged.push(['warn', message, facts]),
      error: (message, facts) => logged.push(['error', message, facts]),
    },
    observer: { ...silentStatusObserver, statusWritten: (seconds) => written.push(seconds) },
    couldHaveRunningContainers: () => true,
  });
  return { clock, statusDecisions, written, decisions, logged };
}

function recordOf(version: number, status: PodStatus = {}, isFinished = false): StatusRecord {
  return { version, name: 'web', namespace: 'default', status, isFinished };
}

/** The time between a change and its acknowledgement. */
describe('the latency of status writes', () => {
  test('it counts from the first unwritten change', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    await clock.pass(2000);
    statusDecisions.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(500);
    statusDecisions.writing('uid-1');
    await clock.pass(250);
    statusDecisions.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([2.75]);
  });

  test('after that it starts again, which the kubelet forgets', async () => {
    const { clock, statusDecisions, written } = make();
    for (const version of [1, 2]) {
      statusDecisions.stored('uid-1', undefined, recordOf(version));
      statusDecisions.writing('uid-1');
      await clock.pass(100);
      statusDecisions.acknowledged('uid-1', recordOf(version), version);
      await clock.pass(3_600_000);
    }
    expect(written).toEqual([0.1, 0.1]);
  });

  test('a change during a write is measured by the next write, from the time of the change', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    statusDecisions.writing('uid-1');
    await clock.pass(1000);
    statusDecisions.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(1000);
    statusDecisions.acknowledged('uid-1', recordOf(2), 1);
    statusDecisions.writing('uid-1');
    await clock.pass(1000);
    statusDecisions.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([2, 2]);
  });

  test('failures do not reset it, whatever changes between them', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    statusDecisions.writing('uid-1');
    await clock.pass(1000);
    statusDecisions.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(1000);
    statusDecisions.writing('uid-1');
    await clock.pass(1000);
    statusDecisions.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([3]);
  });

  test('SM-78: a status that needs no request is acknowledged too', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    await clock.pass(30);
    statusDecisions.acknowledged('uid-1', recordOf(1), 1);
    await clock.pass(3_600_000);
    statusDecisions.acknowledged('uid-1', recordOf(1), 1);
    expect(written, 'once').toEqual([0.03]);
  });

  test('an acknowledgement without a change is not measured', () => {
    const { statusDecisions, written } = make();
    statusDecisions.acknowledged('uid-1', recordOf(1), 1);
    expect(written).toEqual([]);
  });

  test('a pod that was dropped and came back starts again', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    await clock.pass(5000);
    statusDecisions.dropped('uid-1', recordOf(1), 'gone');
    statusDecisions.stored('uid-1', undefined, recordOf(1));
    await clock.pass(10);
    statusDecisions.acknowledged('uid-1', recordOf(1), 1);
    expect(written).toEqual([0.01]);
  });

  test('each pod is measured separately', async () => {
    const { clock, statusDecisions, written } = make();
    statusDecisions.stored('a', undefined, recordOf(1));
    await clock.pass(1000);
    statusDecisions.stored('b', undefined, recordOf(1));
    statusDecisions.acknowledged('a', recordOf(1), 1);
    statusDecisions.acknowledged('b', recordOf(1), 1);
    expect(written).toEqual([1, 0]);
  });
});

describe('what is recorded', () => {
  const POD = { uid: 'uid-1', namespace: 'default', name: 'web' };

  test('a stored status, with its versions and its phase', () => {
    const { clock, statusDecisions, decisions } = make();
    statusDecisions.stored('uid-1', undefined, recordOf(1, { phase: 'Pending' }));
    statusDecisions.stored('uid-1', recordOf(1), recordOf(2, { phase: 'Failed' }, true));
    statusDecisions.stored('uid-1', recordOf(2), recordOf(3));
    const common = { atMs: clock.now(), pod: POD, machine: 'status-manager' };
    expect(decisions).toEqual([
      { ...common, from: 'v0', to: 'v1', why: 'Pending' },
      { ...common, from: 'v1', to: 'v2', why: 'Failed, finished' },
      { ...common, from: 'v2', to: 'v3', why: 'no phase' },
    ]);
  });

  test('a refused status, and an error in the log, for it is a defect of podkeep', () => {
    const { statusDecisions, decisions, logged } = make();
    statusDecisions.refused(podOf(), 'it came back to life');
    expect(decisions).toMatchObject([{ pod: POD, to: 'refused', why: 'it came back to life' }]);
    expect(logged).toMatchObject([
      ['error', expect.any(String), { ...POD, problem: 'it came back to life' }],
    ]);
  });

  test('each step of a write; a failed one with its error in the log, too', () => {
    const { statusDecisions, decisions, logged } = make();
    const changed = { type: 'changed', lane: 'normal' } as const;
    statusDecisions.stepped('uid-1', recordOf(1), { from: 'idle', to: 'queued', event: changed });
    expect(logged).toEqual([]);
    const error = new Error('socket hang up');
    const failed = { type: 'failed', retryAfterMs: null } as const;
    statusDecisions.stepped('uid-1', recordOf(1), {
      from: 'busy',
      to: 'waiting',
      event: { type: 'settled', outcome: failed, view: {} as never },
      error,
    });
    expect(decisions).toMatchObject([
      { pod: POD, machine: 'status-write', from: 'idle', to: 'queued', why: 'changed' },
      { pod: POD, machine: 'status-write', from: 'busy', to: 'waiting', why: 'settled: failed' },
    ]);
    expect(logged).toMatchObject([
      ['warn', expect.any(String), { ...POD, error, next: 'waiting' }],
    ]);
  });

  test('a parked pod, with an error in the log', () => {
    const { statusDecisions, decisions, logged } = make();
    const error = new Error('a rule is broken');
    statusDecisions.parked('uid-1', recordOf(1), error);
    expect(decisions).toMatchObject([{ pod: POD, to: 'parked', why: 'Error: a rule is broken' }]);
    expect(logged).toMatchObject([['error', expect.any(String), { ...POD, error }]]);
  });

  test('a dropped record, with the reason', () => {
    const { statusDecisions, decisions } = make();
    statusDecisions.dropped('uid-1', recordOf(4), 'the pod is gone');
    expect(decisions).toMatchObject([
      { pod: POD, from: 'v4', to: 'forgotten', why: 'the pod is gone' },
    ]);
  });
});
