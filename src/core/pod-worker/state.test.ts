import { expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import type { State } from './state.ts';

const fate = { deleted: false, evicted: false, restartRequested: false };
const subject = { kind: 'configured', pod: pod('web'), mirrorPod: null } as const;
const update = { type: 'sync', subject, startedAtMs: null } as const;
const sync = { work: 'sync', operation: 'sync', startedAtMs: null, pending: null } as const;

test('impossible states do not compile', () => {
  const impossible: readonly State[] = [
    // @ts-expect-error a syncing pod has no grace period
    { phase: 'syncing', subject, inFlight: null, graceSeconds: 5 },
    // @ts-expect-error nothing is stopped while a pod should run
    { phase: 'syncing', subject, inFlight: { ...sync, work: 'stop' } },
    // @ts-expect-error no update is pending if nothing is in flight
    { phase: 'syncing', subject, inFlight: null, pending: update },
    // @ts-expect-error a pod without a spec cannot be synced (PW-35)
    { phase: 'syncing', subject: { kind: 'runtimeOnly' }, inFlight: null },
    // @ts-expect-error nothing syncs once the containers have stopped
    { phase: 'terminated', subject, inFlight: sync, fate, replays: null },
    // @ts-expect-error no kill is open once the containers have stopped
    { phase: 'terminated', subject, inFlight: null, fate, replays: null, kills: [1] },
    // @ts-expect-error a finished pod has nothing in flight
    { phase: 'finished', fate, how: 'released', static: false, inFlight: sync },
    // @ts-expect-error a waiting pod has an update, or it would have nothing to wait for
    { phase: 'waiting' },
  ];
  expect(impossible).toHaveLength(8);
});

test('the last sync of a pod that has to end never runs without a pending update', () => {
  const rest = { graceSeconds: 1, fate, kills: [], statusFrom: null, replays: null } as const;
  const lawful: State = {
    phase: 'terminating',
    subject,
    inFlight: { ...sync, pending: update },
    ...rest,
  };
  // @ts-expect-error nothing would stop the pod afterwards
  const broken: State = { phase: 'terminating', subject, inFlight: sync, ...rest };
  expect(lawful.phase).toBe(broken.phase);
});
