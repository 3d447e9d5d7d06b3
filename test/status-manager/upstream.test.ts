/**
 * The scenarios that Kubernetes tests its status manager with, by their names there. The test drives the
 * manager, one pass at a time. The kubelet reads before each write; podkeep does not: its calls are the
 * kubelet's without the GETs (F-2).
 */
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { container, podOf, staticPodOf } from '../support/pod-parts.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

const live = statusOf('Running', { ready: true });
const MIRROR = { 'kubernetes.io/config.mirror': 'hash' };

/** The requests of one pass. */
async function sync(harness: StatusHarness, all = false): Promise<readonly string[]> {
  await harness.manager.syncBatch(all);
  return harness.takeSent();
}

/** A pod that the node and the API know, without a status yet. */
function harnessWithPod(): StatusHarness {
  const harness = new StatusHarness();
  harness.create('web');
  return harness;
}

function readyTime({ manager }: StatusHarness): string | null | undefined {
  const conditions = manager.getPodStatus('web')?.conditions;
  return conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
}

describe('one pod', () => {
  test('TestNewStatus: the first status is written once, with a start time', async () => {
    const harness = harnessWithPod();
    harness.say('web', live);
    expect(await sync(harness)).toEqual(['patch web']);
    expect(await sync(harness)).toEqual([]);
    expect(harness.get('web').status?.startTime).toBe('2030-01-02T03:04:05Z');
  });

  test('TestNewStatusPreservesPodStartTime', async () => {
    const harness = new StatusHarness();
    const startTime = '2030-01-01T00:00:00Z';
    harness.create('web', { status: { phase: 'Pending', startTime } });
    harness.say('web', live);
    await sync(harness);
    expect(harness.get('web').status?.startTime).toBe(startTime);
  });

  test('TestChangedStatus, SM-28: two statuses, two writes', async () => {
    const harness = harnessWithPod();
    harness.say('web', statusOf('Pending'));
    expect(await sync(harness)).toEqual(['patch web']);
    harness.say('web', live);
    expect(await sync(harness)).toEqual(['patch web']);
  });

  test('TestChangedStatusUpdatesLastTransitionTime, and the API has it', async () => {
    const harness = harnessWithPod();
    harness.say('web', statusOf('Running', { ready: true }));
    await sync(harness);
    const before = readyTime(harness);
    await harness.clock.pass(5000);
    harness.say('web', statusOf('Running', { ready: false }));
    await sync(harness);
    expect(readyTime(harness)).not.toBe(before);
    const [ready] = harness.get('web').status?.conditions ?? [];
    expect(ready).toMatchObject({ type: 'Ready', lastTransitionTime: readyTime(harness) });
  });

  test('TestUnchangedStatus, TestUnchangedStatusPreservesLastTransitionTime', async () => {
    const harness = harnessWithPod();
    harness.say('web', live);
    await sync(harness);
    const before = readyTime(harness);
    await harness.clock.pass(5000);
    expect(harness.say('web', live)).toBe(false);
    expect(await sync(harness)).toEqual([]);
    expect(readyTime(harness)).toBe(before);
  });

  test('TestSyncPod', async () => {
    const harness = harnessWithPod();
    harness.say('web', live);
    expect(await sync(harness)).toEqual(['patch web']);
    expect(harness.get('web').status).toMatchObject(harness.manager.getPodStatus('web') ?? {});
  });

  test('TestSyncPodIgnoresNotFound: the record stays, for housekeeping to remove', async () => {
    const harness = harnessWithPod();
    harness.lag();
    harness.api.remove({ namespace: 'default', name: 'web' });
    harness.say('web', live);
    expect(await sync(harness)).toEqual(['patch web']);
    expect(harness.manager.getPodStatus('web')).toBeDefined();
    expect(await sync(harness, true), 'F-12: and is not asked for again').toEqual([]);
  });

  test('TestSyncPodChecksMismatchedUID: a pod that the watch has shown is left alone', async () => {
    const harness = harnessWithPod();
    const pod = harness.get('web');
    harness.api.remove({ namespace: 'default', name: 'web' });
    harness.create('web', { uid: 'web-2' });
    harness.manager.setPodStatus(pod, live);
    expect(await sync(harness)).toEqual([]);
    expect(harness.manager.getPodStatus('web'), 'A-35: the record goes').toBeUndefined();
  });

  test('TestSyncPodChecksMismatchedUID: one that it has not shown yet is found by reading', async () => {
    const harness = harnessWithPod();
    const pod = harness.get('web');
    harness.lag();
    harness.api.remove({ namespace: 'default', name: 'web' });
    harness.create('web', { uid: 'web-2' });
    harness.manager.setPodStatus(pod, live);
    expect(await sync(harness)).toEqual(['patch web', 'get web']);
    expect(harness.manager.getPodStatus('web')).toBeUndefined();
    expect(harness.get('web').status, 'SM-74: it was not touched').toEqual({ phase: 'Pending' });
  });

  test('TestStaleUpdates: versions that were overtaken are never written', async () => {
    const harness = harnessWithPod();
    for (const restarts of [0, 1, 2]) harness.say('web', statusOf('Running', { restarts }));
    expect(await sync(harness, true)).toEqual(['patch web']);
    expect(harness.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(2);
    harness.say('web', statusOf('Running', { restarts: 2 }));
    expect(await sync(harness, true)).toEqual([]);
  });
});

test('TestSyncPodNoDeadlock: one failure after the other, and it still writes', async () => {
  const harness = new StatusHarness();
  harness.manager.start();
  const pod = podOf({}, { metadata: { name: 'web', uid: 'web' } });
  harness.pods.set(pod);
  const say = async (status: PodStatus): Promise<readonly string[]> => {
    harness.manager.setPodStatus(harness.pods.find('web')?.pod ?? pod, status);
    await harness.settle();
    return harness.takeSent();
  };
  expect(await say(statusOf('Pending')), 'the API has no such pod').toEqual([]);

  harness.create('web', { uid: 'another' });
  expect(await say(statusOf('Running')), 'another has its name').toEqual([]);

  harness.api.remove({ namespace: 'default', name: 'web' });
  harness.create('web');
  expect(await say(statusOf('Running', { restarts: 1 }))).toEqual(['patch web']);

  harness.requestDeletion('web');
  expect(await say(statusOf('Running', { restarts: 2 })), 'deleting').toEqual(['patch web']);

  harness.fault = () => ({ refuse: 500 });
  expect(await say(statusOf('Running', { restarts: 3 })), 'an error').toEqual(['patch web']);

  harness.fault = () => undefined;
  await harness.clock.pass(1000);
  expect(harness.takeSent(), 'tried again').toEqual(['patch web']);

  harness.manager.terminatePod(harness.get('web'));
  await harness.settle();
  expect(harness.takeSent()).toEqual(['patch web', 'delete web']);
  expect(harness.api.pods()).toEqual([]);
  expect(harness.manager.getPodStatus('web')).toBeUndefined();
});

describe('static pods', () => {
  function mirrorOf(uid: string, fields: { readonly deletionTimestamp?: string } = {}): Pod {
    const metadata = { uid, annotations: MIRROR, ...fields };
    return podOf({}, { metadata, status: { phase: 'Pending' } });
  }

  test('TestStaticPod', async () => {
    const harness = new StatusHarness();
    const pod = staticPodOf();
    harness.pods.set(pod);
    harness.manager.setPodStatus(pod, live);
    expect(await sync(harness, true), 'SM-57: without a mirror').toEqual([]);

    const mirror = mirrorOf('mirror-1');
    harness.pods.set(pod, mirror);
    expect(harness.manager.getPodStatus('mirror-1')).toBe(harness.manager.getPodStatus('uid-1'));
    harness.api.put(mirror);
    expect(await sync(harness)).toEqual(['patch web']);
    expect(harness.get('web').status?.phase).toBe('Running');
    expect(await sync(harness, true), 'unchanged').toEqual([]);

    harness.manager.setPodStatus(pod, statusOf('Running', { restarts: 1 }));
    harness.lag();
    harness.api.remove({ namespace: 'default', name: 'web' });
    harness.api.put(mirrorOf('mirror-2'));
    expect(await sync(harness, true), 'another mirror, not shown yet').toEqual([
      'patch web',
      'get web',
    ]);
    expect(harness.manager.getPodStatus('uid-1'), 'F-13: the record stays').toBeDefined();

    harness.pods.set(pod, harness.get('web'));
    expect(await sync(harness), 'once it is known it is written').toEqual(['patch web']);
    expect(harness.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  test('TestDoNotDeleteMirrorPods', async () => {
    const harness = new StatusHarness();
    const pod = staticPodOf();
    harness.pods.set(pod, mirrorOf('mirror-1'));
    harness.api.put(mirrorOf('mirror-1', { deletionTimestamp: '2030-01-02T03:04:05Z' }));
    harness.manager.setPodStatus(pod, statusOf('Failed'));
    harness.manager.terminatePod(pod);
    expect(await sync(harness, true)).toEqual(['patch web']);
    expect(await sync(harness, true)).toEqual([]);
    expect(harness.get('web').status?.phase).toBe('Failed');
  });
});

describe('acknowledged versions', () => {
  test('TestSyncBatchCleanupVersions, V-1, SM-56: they go with the record', async () => {
    const harness = harnessWithPod();
    for (const restarts of [1, 2, 3]) {
      harness.say('web', statusOf('Running', { restarts }));
      await sync(harness);
    }
    harness.manager.removeOrphanedStatuses(new Set());
    harness.say('web', statusOf('Running', { restarts: 4 }));
    expect(harness.manager.records.get('web')?.version).toBe(1);
    expect(await sync(harness), 'SM-52: version 1 is not older than version 3').toEqual([
      'patch web',
    ]);
  });

  test('TestSyncBatchCleanupVersions: those of pods that stay are kept', async () => {
    const harness = harnessWithPod();
    harness.say('web', live);
    await sync(harness);
    harness.manager.removeOrphanedStatuses(new Set(['web']));
    expect(await sync(harness, true)).toEqual([]);
  });
});

describe('TestReconcilePodStatus', () => {
  async function written(): Promise<StatusHarness> {
    const harness = harnessWithPod();
    harness.say('web', live);
    await sync(harness);
    return harness;
  }

  test('the same needs no write, nor does one that differs in precision', async () => {
    const harness = await written();
    expect(await sync(harness, true)).toEqual([]);
    const pod = harness.get('web');
    harness.api.put({ ...pod, status: { ...pod.status, startTime: '2030-01-02T03:04:05.25Z' } });
    expect(await sync(harness, true)).toEqual([]);
  });

  test('SM-58: a different one is written over, in the full pass only', async () => {
    const harness = await written();
    harness.api.put({ ...harness.get('web'), status: { phase: 'Pending' } });
    expect(await sync(harness)).toEqual([]);
    expect(await sync(harness, true)).toEqual(['patch web']);
    expect(harness.get('web').status?.phase).toBe('Running');
  });

  test('SM-59: if that fails, any later pass tries again', async () => {
    const harness = await written();
    harness.api.put({ ...harness.get('web'), status: { phase: 'Pending' } });
    harness.fault = () => ({ refuse: 500 });
    await sync(harness, true);
    harness.fault = () => undefined;
    await harness.clock.pass(1000);
    await sync(harness);
    expect(harness.get('web').status?.phase).toBe('Running');
  });
});

describe('deletion', () => {
  test('TestDeletePodBeforeFinished: no DELETE before the final status', async () => {
    const harness = harnessWithPod();
    harness.requestDeletion('web');
    harness.say('web', statusOf('Failed'));
    expect(await sync(harness, true)).toEqual(['patch web']);
    expect(await sync(harness, true)).toEqual([]);
    expect(harness.get('web').status?.phase).toBe('Failed');
  });

  test('TestDeletePodFinished, SM-51: the final status, then the DELETE, under the UID', async () => {
    const harness = harnessWithPod();
    harness.requestDeletion('web');
    harness.say('web', statusOf('Running'));
    harness.manager.terminatePod(harness.get('web'));
    await harness.manager.syncBatch(true);
    const { uid, gracePeriodSeconds } = harness.sent.at(-1) ?? {};
    expect({ uid, gracePeriodSeconds }).toEqual({ uid: 'web', gracePeriodSeconds: 0 });
    expect(harness.takeSent()).toEqual(['patch web', 'delete web']);
    expect(harness.manager.getPodStatus('web')).toBeUndefined();
    expect(harness.api.pods()).toEqual([]);
  });

  test('a deletion that is requested after the final status follows in the full pass (SM-60)', async () => {
    const harness = harnessWithPod();
    harness.say('web', statusOf('Succeeded'));
    harness.manager.terminatePod(harness.get('web'));
    expect(await sync(harness)).toEqual(['patch web']);
    harness.requestDeletion('web');
    expect(await sync(harness)).toEqual([]);
    expect(await sync(harness, true)).toEqual(['delete web']);
  });

  test('SM-84: while something may run, the phase is held back and nothing is deleted', async () => {
    const harness = harnessWithPod();
    harness.running.add('web');
    harness.requestDeletion('web');
    harness.say('web', statusOf('Running'));
    harness.manager.terminatePod(harness.get('web'));
    expect(await sync(harness, true)).toEqual(['patch web']);
    expect(harness.get('web').status?.phase).toBe('Pending');
    harness.running.delete('web');
    expect(await sync(harness, true)).toEqual(['patch web', 'delete web']);
  });
});

test('TestStatusEquality: another order of containers is the same status', async () => {
  const harness = new StatusHarness();
  const names = ['a', 'b', 'c'];
  const pod = harness.api.put(podOf({ containers: names.map((name) => container(name)) }));
  const status = (order: readonly string[]): PodStatus => ({
    phase: 'Running',
    containerStatuses: order.map((name) => ({ name, ready: true })),
  });
  harness.manager.setPodStatus(pod, status(names));
  expect(await sync(harness)).toEqual(['patch web']);
  expect(harness.manager.setPodStatus(pod, status(names.toReversed())).changed).toBe(false);
});
