import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/status-record.ts';
import type { DecisionRecord } from '../../ports/decision-log.ts';
import type { LogFacts } from '../../ports/log.ts';
import { MemoryPodManager } from '../../../test/support/memory-pod-manager.ts';
import { podOf } from '../../../test/support/pod-parts.ts';
import { noProbes, silentLog, silentStatusObserver } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { StatusChronicle } from './status-chronicle.ts';

function make() {
  const clock = new VirtualClock();
  const written: number[] = [];
  const decisions: DecisionRecord[] = [];
  const logged: (readonly [string, string, LogFacts | undefined])[] = [];
  const chronicle = new StatusChronicle({
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
  return { clock, chronicle, written, decisions, logged };
}

function recordOf(version: number, status: PodStatus = {}, isFinished = false): StatusRecord {
  return { version, name: 'web', namespace: 'default', status, isFinished };
}

/** The time between a change and its acknowledgement. */
describe('how long people wait', () => {
  test('it counts from the first change that was not written', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('uid-1', undefined, recordOf(1));
    await clock.pass(2000);
    chronicle.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(500);
    chronicle.writing('uid-1');
    await clock.pass(250);
    chronicle.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([2.75]);
  });

  test('after that it starts anew, which the kubelet forgets', async () => {
    const { clock, chronicle, written } = make();
    for (const version of [1, 2]) {
      chronicle.stored('uid-1', undefined, recordOf(version));
      chronicle.writing('uid-1');
      await clock.pass(100);
      chronicle.acknowledged('uid-1', recordOf(version), version);
      await clock.pass(3_600_000);
    }
    expect(written).toEqual([0.1, 0.1]);
  });

  test('a change during a write is measured by the next write, from when it was made', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('uid-1', undefined, recordOf(1));
    chronicle.writing('uid-1');
    await clock.pass(1000);
    chronicle.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(1000);
    chronicle.acknowledged('uid-1', recordOf(2), 1);
    chronicle.writing('uid-1');
    await clock.pass(1000);
    chronicle.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([2, 2]);
  });

  test('failures do not reset it, whatever changes between them', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('uid-1', undefined, recordOf(1));
    chronicle.writing('uid-1');
    await clock.pass(1000);
    chronicle.stored('uid-1', recordOf(1), recordOf(2));
    await clock.pass(1000);
    chronicle.writing('uid-1');
    await clock.pass(1000);
    chronicle.acknowledged('uid-1', recordOf(2), 2);
    expect(written).toEqual([3]);
  });

  test('SM-78: what needs no request is acknowledged too', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('uid-1', undefined, recordOf(1));
    await clock.pass(30);
    chronicle.acknowledged('uid-1', recordOf(1), 1);
    await clock.pass(3_600_000);
    chronicle.acknowledged('uid-1', recordOf(1), 1);
    expect(written, 'once').toEqual([0.03]);
  });

  test('an acknowledgement without a change says nothing', () => {
    const { chronicle, written } = make();
    chronicle.acknowledged('uid-1', recordOf(1), 1);
    expect(written).toEqual([]);
  });

  test('a pod that was dropped and came back begins anew', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('uid-1', undefined, recordOf(1));
    await clock.pass(5000);
    chronicle.dropped('uid-1', recordOf(1), 'gone');
    chronicle.stored('uid-1', undefined, recordOf(1));
    await clock.pass(10);
    chronicle.acknowledged('uid-1', recordOf(1), 1);
    expect(written).toEqual([0.01]);
  });

  test('each pod has a time of its own', async () => {
    const { clock, chronicle, written } = make();
    chronicle.stored('a', undefined, recordOf(1));
    await clock.pass(1000);
    chronicle.stored('b', undefined, recordOf(1));
    chronicle.acknowledged('a', recordOf(1), 1);
    chronicle.acknowledged('b', recordOf(1), 1);
    expect(written).toEqual([1, 0]);
  });
});

describe('what is written down', () => {
  const POD = { uid: 'uid-1', namespace: 'default', name: 'web' };

  test('a stored status, with its versions and its phase', () => {
    const { clock, chronicle, decisions } = make();
    chronicle.stored('uid-1', undefined, recordOf(1, { phase: 'Pending' }));
    chronicle.stored('uid-1', recordOf(1), recordOf(2, { phase: 'Failed' }, true));
    chronicle.stored('uid-1', recordOf(2), recordOf(3));
    const common = { atMs: clock.now(), pod: POD, machine: 'status-manager' };
    expect(decisions).toEqual([
      { ...common, from: 'v0', to: 'v1', why: 'Pending' },
      { ...common, from: 'v1', to: 'v2', why: 'Failed, finished' },
      { ...common, from: 'v2', to: 'v3', why: 'no phase' },
    ]);
  });

  test('a refused status, also in the log, for it is a mistake of ours', () => {
    const { chronicle, decisions, logged } = make();
    chronicle.refused(podOf(), 'it came back to life');
    expect(decisions).toMatchObject([{ pod: POD, to: 'refused', why: 'it came back to life' }]);
    expect(logged).toMatchObject([
      ['error', expect.any(String), { ...POD, complaint: 'it came back to life' }],
    ]);
  });

  test('each step of a write; a failed one also in the log, with the error', () => {
    const { chronicle, decisions, logged } = make();
    const changed = { type: 'changed', lane: 'normal' } as const;
    chronicle.stepped('uid-1', recordOf(1), { from: 'idle', to: 'queued', event: changed });
    expect(logged).toEqual([]);
    const error = new Error('socket hang up');
    const failed = { type: 'failed', retryAfterMs: null } as const;
    chronicle.stepped('uid-1', recordOf(1), {
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

  test('a parked pod, loudly', () => {
    const { chronicle, decisions, logged } = make();
    const error = new Error('a rule is broken');
    chronicle.parked('uid-1', recordOf(1), error);
    expect(decisions).toMatchObject([{ pod: POD, to: 'parked', why: 'Error: a rule is broken' }]);
    expect(logged).toMatchObject([['error', expect.any(String), { ...POD, error }]]);
  });

  test('a dropped record, with the reason', () => {
    const { chronicle, decisions } = make();
    chronicle.dropped('uid-1', recordOf(4), 'the pod is gone');
    expect(decisions).toMatchObject([
      { pod: POD, from: 'v4', to: 'forgotten', why: 'the pod is gone' },
    ]);
  });
});
