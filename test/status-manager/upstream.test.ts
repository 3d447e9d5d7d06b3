/**
 * The scenarios that Kubernetes tests its status manager with, by their names there. The manager is
 * driven by hand, one pass at a time. Where the kubelet reads before each write, podkeep does not:
 * its calls are the kubelet's without the GETs (F-2).
 */
import { describe, expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { container, podOf, staticPodOf } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

const live = statusOf('Running', { ready: true });
const MIRROR = { 'kubernetes.io/config.mirror': 'hash' };

/** The requests of one pass. */
async function sync(stage: StatusStage, all = false): Promise<readonly string[]> {
  await stage.manager.syncBatch(all);
  return stage.takeSent();
}

/** A pod that the node and the API know, with nothing said of it yet. */
function stageWithPod(): StatusStage {
  const stage = new StatusStage();
  stage.create('web');
  return stage;
}

function readyTime({ manager }: StatusStage): string | null | undefined {
  const conditions = manager.getPodStatus('web')?.conditions;
  return conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
}

describe('one pod', () => {
  test('TestNewStatus: the first status is written once, with a start time', async () => {
    const stage = stageWithPod();
    stage.say('web', live);
    expect(await sync(stage)).toEqual(['patch web']);
    expect(await sync(stage)).toEqual([]);
    expect(stage.get('web').status?.startTime).toBe('2030-01-02T03:04:05Z');
  });

  test('TestNewStatusPreservesPodStartTime', async () => {
    const stage = new StatusStage();
    const startTime = '2030-01-01T00:00:00Z';
    stage.create('web', { status: { phase: 'Pending', startTime } });
    stage.say('web', live);
    await sync(stage);
    expect(stage.get('web').status?.startTime).toBe(startTime);
  });

  test('TestChangedStatus, SM-28: two statuses, two writes', async () => {
    const stage = stageWithPod();
    stage.say('web', statusOf('Pending'));
    expect(await sync(stage)).toEqual(['patch web']);
    stage.say('web', live);
    expect(await sync(stage)).toEqual(['patch web']);
  });

  test('TestChangedStatusUpdatesLastTransitionTime, and the API has it', async () => {
    const stage = stageWithPod();
    stage.say('web', statusOf('Running', { ready: true }));
    await sync(stage);
    const before = readyTime(stage);
    await stage.clock.pass(5000);
    stage.say('web', statusOf('Running', { ready: false }));
    await sync(stage);
    expect(readyTime(stage)).not.toBe(before);
    const [ready] = stage.get('web').status?.conditions ?? [];
    expect(ready).toMatchObject({ type: 'Ready', lastTransitionTime: readyTime(stage) });
  });

  test('TestUnchangedStatus, TestUnchangedStatusPreservesLastTransitionTime', async () => {
    const stage = stageWithPod();
    stage.say('web', live);
    await sync(stage);
    const before = readyTime(stage);
    await stage.clock.pass(5000);
    expect(stage.say('web', live)).toBe(false);
    expect(await sync(stage)).toEqual([]);
    expect(readyTime(stage)).toBe(before);
  });

  test('TestSyncPod', async () => {
    const stage = stageWithPod();
    stage.say('web', live);
    expect(await sync(stage)).toEqual(['patch web']);
    expect(stage.get('web').status).toMatchObject(stage.manager.getPodStatus('web') ?? {});
  });

  test('TestSyncPodIgnoresNotFound: the record stays, for housekeeping to remove', async () => {
    const stage = stageWithPod();
    stage.lag();
    stage.api.remove({ namespace: 'default', name: 'web' });
    stage.say('web', live);
    expect(await sync(stage)).toEqual(['patch web']);
    expect(stage.manager.getPodStatus('web')).toBeDefined();
    expect(await sync(stage, true), 'F-12: and is not asked for again').toEqual([]);
  });

  test('TestSyncPodChecksMismatchedUID: a pod that the watch has shown is left alone', async () => {
    const stage = stageWithPod();
    const pod = stage.get('web');
    stage.api.remove({ namespace: 'default', name: 'web' });
    stage.create('web', { uid: 'web-2' });
    stage.manager.setPodStatus(pod, live);
    expect(await sync(stage)).toEqual([]);
    expect(stage.manager.getPodStatus('web'), 'A-35: the record goes').toBeUndefined();
  });

  test('TestSyncPodChecksMismatchedUID: one that it has not shown yet is found by reading', async () => {
    const stage = stageWithPod();
    const pod = stage.get('web');
    stage.lag();
    stage.api.remove({ namespace: 'default', name: 'web' });
    stage.create('web', { uid: 'web-2' });
    stage.manager.setPodStatus(pod, live);
    expect(await sync(stage)).toEqual(['patch web', 'get web']);
    expect(stage.manager.getPodStatus('web')).toBeUndefined();
    expect(stage.get('web').status, 'SM-74: it was not touched').toEqual({ phase: 'Pending' });
  });

  test('TestStaleUpdates: versions that were overtaken are never written', async () => {
    const stage = stageWithPod();
    for (const restarts of [0, 1, 2]) stage.say('web', statusOf('Running', { restarts }));
    expect(await sync(stage, true)).toEqual(['patch web']);
    expect(stage.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(2);
    stage.say('web', statusOf('Running', { restarts: 2 }));
    expect(await sync(stage, true)).toEqual([]);
  });
});

test('TestSyncPodNoDeadlock: one failure after the other, and it still writes', async () => {
  const stage = new StatusStage();
  stage.manager.start();
  const pod = podOf({}, { metadata: { name: 'web', uid: 'web' } });
  stage.pods.set(pod);
  const say = async (status: PodStatus): Promise<readonly string[]> => {
    stage.manager.setPodStatus(stage.pods.find('web')?.pod ?? pod, status);
    await stage.settle();
    return stage.takeSent();
  };
  expect(await say(statusOf('Pending')), 'the API has no such pod').toEqual([]);

  stage.create('web', { uid: 'another' });
  expect(await say(statusOf('Running')), 'another has its name').toEqual([]);

  stage.api.remove({ namespace: 'default', name: 'web' });
  stage.create('web');
  expect(await say(statusOf('Running', { restarts: 1 }))).toEqual(['patch web']);

  stage.requestDeletion('web');
  expect(await say(statusOf('Running', { restarts: 2 })), 'deleting').toEqual(['patch web']);

  stage.fault = () => ({ refuse: 500 });
  expect(await say(statusOf('Running', { restarts: 3 })), 'an error').toEqual(['patch web']);

  stage.fault = () => undefined;
  await stage.clock.pass(1000);
  expect(stage.takeSent(), 'tried again').toEqual(['patch web']);

  stage.manager.terminatePod(stage.get('web'));
  await stage.settle();
  expect(stage.takeSent()).toEqual(['patch web', 'delete web']);
  expect(stage.api.pods()).toEqual([]);
  expect(stage.manager.getPodStatus('web')).toBeUndefined();
});

describe('static pods', () => {
  function mirrorOf(uid: string, fields: { readonly deletionTimestamp?: string } = {}): Pod {
    const metadata = { uid, annotations: MIRROR, ...fields };
    return podOf({}, { metadata, status: { phase: 'Pending' } });
  }

  test('TestStaticPod', async () => {
    const stage = new StatusStage();
    const pod = staticPodOf();
    stage.pods.set(pod);
    stage.manager.setPodStatus(pod, live);
    expect(await sync(stage, true), 'SM-57: without a mirror').toEqual([]);

    const mirror = mirrorOf('mirror-1');
    stage.pods.set(pod, mirror);
    expect(stage.manager.getPodStatus('mirror-1')).toBe(stage.manager.getPodStatus('uid-1'));
    stage.api.put(mirror);
    expect(await sync(stage)).toEqual(['patch web']);
    expect(stage.get('web').status?.phase).toBe('Running');
    expect(await sync(stage, true), 'unchanged').toEqual([]);

    stage.manager.setPodStatus(pod, statusOf('Running', { restarts: 1 }));
    stage.lag();
    stage.api.remove({ namespace: 'default', name: 'web' });
    stage.api.put(mirrorOf('mirror-2'));
    expect(await sync(stage, true), 'another mirror, not shown yet').toEqual([
      'patch web',
      'get web',
    ]);
    expect(stage.manager.getPodStatus('uid-1'), 'F-13: the record stays').toBeDefined();

    stage.pods.set(pod, stage.get('web'));
    expect(await sync(stage), 'once it is known it is written').toEqual(['patch web']);
    expect(stage.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  test('TestDoNotDeleteMirrorPods', async () => {
    const stage = new StatusStage();
    const pod = staticPodOf();
    stage.pods.set(pod, mirrorOf('mirror-1'));
    stage.api.put(mirrorOf('mirror-1', { deletionTimestamp: '2030-01-02T03:04:05Z' }));
    stage.manager.setPodStatus(pod, statusOf('Failed'));
    stage.manager.terminatePod(pod);
    expect(await sync(stage, true)).toEqual(['patch web']);
    expect(await sync(stage, true)).toEqual([]);
    expect(stage.get('web').status?.phase).toBe('Failed');
  });
});

describe('acknowledged versions', () => {
  test('TestSyncBatchCleanupVersions, V-1, SM-56: they go with the record', async () => {
    const stage = stageWithPod();
    for (const restarts of [1, 2, 3]) {
      stage.say('web', statusOf('Running', { restarts }));
      await sync(stage);
    }
    stage.manager.removeOrphanedStatuses(new Set());
    stage.say('web', statusOf('Running', { restarts: 4 }));
    expect(stage.manager.records.get('web')?.version).toBe(1);
    expect(await sync(stage), 'SM-52: version 1 is not older than version 3').toEqual([
      'patch web',
    ]);
  });

  test('TestSyncBatchCleanupVersions: those of pods that stay are kept', async () => {
    const stage = stageWithPod();
    stage.say('web', live);
    await sync(stage);
    stage.manager.removeOrphanedStatuses(new Set(['web']));
    expect(await sync(stage, true)).toEqual([]);
  });
});

describe('TestReconcilePodStatus', () => {
  async function written(): Promise<StatusStage> {
    const stage = stageWithPod();
    stage.say('web', live);
    await sync(stage);
    return stage;
  }

  test('the same needs no write, nor does one that differs in precision', async () => {
    const stage = await written();
    expect(await sync(stage, true)).toEqual([]);
    const pod = stage.get('web');
    stage.api.put({ ...pod, status: { ...pod.status, startTime: '2030-01-02T03:04:05.25Z' } });
    expect(await sync(stage, true)).toEqual([]);
  });

  test('SM-58: a different one is written over, in the full pass only', async () => {
    const stage = await written();
    stage.api.put({ ...stage.get('web'), status: { phase: 'Pending' } });
    expect(await sync(stage)).toEqual([]);
    expect(await sync(stage, true)).toEqual(['patch web']);
    expect(stage.get('web').status?.phase).toBe('Running');
  });

  test('SM-59: if that fails, any later pass tries again', async () => {
    const stage = await written();
    stage.api.put({ ...stage.get('web'), status: { phase: 'Pending' } });
    stage.fault = () => ({ refuse: 500 });
    await sync(stage, true);
    stage.fault = () => undefined;
    await stage.clock.pass(1000);
    await sync(stage);
    expect(stage.get('web').status?.phase).toBe('Running');
  });
});

describe('deletion', () => {
  test('TestDeletePodBeforeFinished: no DELETE before the last word', async () => {
    const stage = stageWithPod();
    stage.requestDeletion('web');
    stage.say('web', statusOf('Failed'));
    expect(await sync(stage, true)).toEqual(['patch web']);
    expect(await sync(stage, true)).toEqual([]);
    expect(stage.get('web').status?.phase).toBe('Failed');
  });

  test('TestDeletePodFinished, SM-51: the last word, then the DELETE, under the UID', async () => {
    const stage = stageWithPod();
    stage.requestDeletion('web');
    stage.say('web', statusOf('Running'));
    stage.manager.terminatePod(stage.get('web'));
    await stage.manager.syncBatch(true);
    const { uid, gracePeriodSeconds } = stage.sent.at(-1) ?? {};
    expect({ uid, gracePeriodSeconds }).toEqual({ uid: 'web', gracePeriodSeconds: 0 });
    expect(stage.takeSent()).toEqual(['patch web', 'delete web']);
    expect(stage.manager.getPodStatus('web')).toBeUndefined();
    expect(stage.api.pods()).toEqual([]);
  });

  test('deletion that is asked for after the last word follows in the full pass (SM-60)', async () => {
    const stage = stageWithPod();
    stage.say('web', statusOf('Succeeded'));
    stage.manager.terminatePod(stage.get('web'));
    expect(await sync(stage)).toEqual(['patch web']);
    stage.requestDeletion('web');
    expect(await sync(stage)).toEqual([]);
    expect(await sync(stage, true)).toEqual(['delete web']);
  });

  test('SM-84: while something may run, the phase is held back and nothing is deleted', async () => {
    const stage = stageWithPod();
    stage.running.add('web');
    stage.requestDeletion('web');
    stage.say('web', statusOf('Running'));
    stage.manager.terminatePod(stage.get('web'));
    expect(await sync(stage, true)).toEqual(['patch web']);
    expect(stage.get('web').status?.phase).toBe('Pending');
    stage.running.delete('web');
    expect(await sync(stage, true)).toEqual(['patch web', 'delete web']);
  });
});

test('TestStatusEquality: another order of containers is the same status', async () => {
  const stage = new StatusStage();
  const names = ['a', 'b', 'c'];
  const pod = stage.api.put(podOf({ containers: names.map((name) => container(name)) }));
  const status = (order: readonly string[]): PodStatus => ({
    phase: 'Running',
    containerStatuses: order.map((name) => ({ name, ready: true })),
  });
  stage.manager.setPodStatus(pod, status(names));
  expect(await sync(stage)).toEqual(['patch web']);
  expect(stage.manager.setPodStatus(pod, status(names.toReversed())).changed).toBe(false);
});
