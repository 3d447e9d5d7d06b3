import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import {
  checkpointNotDurable,
  checkpointNotWritten,
} from '../allocation-state/checkpoint-errors.ts';
import { noStateStore } from '../allocation-state/no-state-store.ts';
import {
  ALLOCATED_PODS_STATE,
  openCheckpointStateStore,
} from '../allocation-state/checkpoint-state-store.ts';
import { nodeFileSystem } from '../allocation-state/file-system.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { AllocationStage, podAsking } from '../../../test/support/allocation-stage.ts';

function cpuOf(pod: Pod): unknown {
  return pod.spec.containers[0]?.resources?.requests?.['cpu'];
}

describe('admission', () => {
  test('each pod of a burst counts those before it, and those turned away take no room', async () => {
    const stage = new AllocationStage();
    const verdicts = ['1500m', '1', '500m', '1m'].map((cpu, index) => {
      return stage.add(podAsking(`p${index}`, cpu))?.reason ?? 'in';
    });
    expect(verdicts).toEqual(['in', 'OutOfcpu', 'in', 'OutOfcpu']);
    await Promise.all(['p0', 'p2'].map((uid) => stage.manager.kept(stage.pod(uid))));
    expect([...stage.store.all().keys()]).toEqual(['p0', 'p2']);
  });

  test('pods of one burst share one write', async () => {
    const folder = makeTempFolder();
    let writes = 0;
    const store = await openCheckpointStateStore({
      folder,
      name: ALLOCATED_PODS_STATE,
      fileSystem: {
        ...nodeFileSystem,
        rename: (from, to) => {
          writes += 1;
          return nodeFileSystem.rename(from, to);
        },
      },
    });
    const stage = new AllocationStage({ store });
    const pods = Array.from({ length: 30 }, (_, index) => podAsking(`p${index}`, '1m'));
    for (const pod of pods) stage.add(pod);
    await Promise.all(pods.map((pod) => stage.manager.kept(pod)));
    expect(writes).toBe(1);
  });

  test('what was granted before a restart counts, not what is asked for now', async () => {
    const folder = makeTempFolder();
    const open = () => openCheckpointStateStore({ folder, name: ALLOCATED_PODS_STATE });
    const first = new AllocationStage({ store: await open() });
    first.add(podAsking('a', '500m'));
    await first.manager.kept(first.pod('a'));

    const second = new AllocationStage({ store: await open() });
    const greedy = podAsking('a', '9', { generation: 2 });
    expect(second.add(greedy)).toBeNull();
    expect(cpuOf(second.manager.updatePodFromAllocation(greedy))).toBe('500m');
    await second.manager.podsAdded([greedy]);
    expect(second.pendingReasonOf('a')).toBe('Deferred');
  });

  test('a grant that could not be written is written by the next call', async () => {
    const stage = new AllocationStage();
    stage.failWrites(checkpointNotWritten({ file: 'f', reason: 'ENOSPC' }));
    stage.add(podAsking('a', '1'));
    await expect(stage.manager.kept(stage.pod('a'))).rejects.toThrow('f');
    expect(stage.add(podAsking('b', '1500m'))?.reason).toBe('OutOfcpu');
    stage.failWrites(null);
    await stage.manager.kept(stage.pod('a'));
    expect(stage.store.containerResources('a', 'c')).toEqual({ requests: { cpu: '1' } });
  });

  test('a pod that is gone is forgotten, and its room is free', async () => {
    const stage = new AllocationStage();
    stage.add(podAsking('a', '2'));
    await stage.manager.kept(stage.pod('a'));
    stage.remove('a');
    stage.manager.removePod('a');
    expect(stage.add(podAsking('b', '2'))).toBeNull();
    await stage.manager.kept(stage.pod('b'));
    expect([...stage.store.all().keys()]).toEqual(['b']);
    stage.manager.removeOrphanedPods(new Set());
    await promisesSettled();
    expect(stage.store.all().size).toBe(0);
  });
});

describe('critical pods', () => {
  test('wait until those have stopped who had to go, and so does whoever comes meanwhile', async () => {
    const stage = new AllocationStage();
    stage.add(podAsking('victim', '2'));
    await stage.manager.kept(stage.pod('victim'));
    expect(stage.add(podAsking('boss', '1', { priority: 2e9 }))).toBeNull();
    expect(stage.add(podAsking('other', '1'))).toBeNull();
    expect(stage.eventTexts()).toEqual([
      'Warning Preempting Preempted in order to admit critical pod',
    ]);
    const started: string[] = [];
    for (const uid of ['boss', 'other']) {
      void stage.manager.kept(stage.pod(uid)).then(() => started.push(uid));
    }
    await promisesSettled();
    expect(started).toEqual([]);
    const [kill] = stage.kills;
    expect(kill?.options.overrideStatus?.({ phase: 'Running' })).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
    });
    stage.remove('victim');
    kill?.done();
    await promisesSettled();
    expect(started.sort()).toEqual(['boss', 'other']);
    expect(stage.observed).toContainEqual(['podPreempted', 'cpu']);
  });
});

describe('resizes', () => {
  async function running(...pods: readonly Pod[]): Promise<AllocationStage> {
    const stage = new AllocationStage();
    for (const pod of pods) {
      expect(stage.add(pod)).toBeNull();
      await stage.manager.kept(pod);
    }
    stage.manager.start();
    return stage;
  }

  test('one that fits is granted: on disk first, then told, then synced', async () => {
    const stage = await running(podAsking('a', '1'));
    const resized = stage.change(podAsking('a', '2', { generation: 2 }));
    expect(cpuOf(stage.manager.updatePodFromAllocation(resized))).toBe('2');
    await promisesSettled();
    expect(stage.eventTexts()).toEqual([
      'Normal ResizeStarted Pod resize started: ' +
        '{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}],"generation":2}',
    ]);
    expect(stage.status.resizeConditions('a')).toMatchObject([
      { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2 },
    ]);
    expect(stage.synced).toEqual(['a']);
    expect(stage.observed).toEqual([
      ['resizeRequested', { resource: 'cpu', requirement: 'requests', operation: 'increase' }],
    ]);
  });

  test('one that does not fit waits, and is granted when another pod has ended', async () => {
    const stage = await running(podAsking('a', '1'), podAsking('b', '1'));
    const resized = stage.change(podAsking('a', '2', { generation: 2 }));
    const message =
      "Node didn't have enough resource: cpu, requested: 2000, used: 1000, capacity: 2000";
    expect(stage.eventTexts()).toEqual([
      'Warning ResizeDeferred Pod resize OutOfcpu: ' +
        '{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}],"generation":2,' +
        `"error":${JSON.stringify(message)}}`,
    ]);
    expect(stage.status.resizeConditions('a')).toMatchObject([
      { type: 'PodResizePending', reason: 'Deferred', message },
    ]);
    expect(cpuOf(stage.manager.updatePodFromAllocation(resized))).toBe('1');

    stage.manager.podUpdated(stage.pod('b'), { phase: 'Running' });
    const ended = stage.pod('b');
    stage.remove('b');
    stage.manager.podUpdated(ended, { phase: 'Succeeded' });
    await promisesSettled();
    expect(cpuOf(stage.manager.updatePodFromAllocation(resized))).toBe('2');
    expect(stage.observed).toContainEqual(['deferredResizeAccepted', 'pod_terminated']);
    expect(stage.pendingReasonOf('a')).toBeUndefined();
  });

  test('time alone is a reason to look again: after three minutes, and not a moment sooner', async () => {
    const stage = await running(podAsking('a', '1'), podAsking('b', '1'));
    stage.change(podAsking('a', '2', { generation: 2 }));
    stage.remove('b');
    await stage.clock.pass(179_999);
    expect(stage.pendingReasonOf('a')).toBe('Deferred');
    await stage.clock.pass(1);
    expect(stage.pendingReasonOf('a')).toBeUndefined();
    expect(stage.observed).toContainEqual(['deferredResizeAccepted', 'periodic_retry']);
  });

  test('nothing is granted before all sources have spoken, which is asked every 30 s', async () => {
    const stage = await running(podAsking('a', '1'));
    stage.areSourcesReady = false;
    stage.change(podAsking('a', '2', { generation: 2 }));
    await stage.clock.pass(29_999);
    stage.areSourcesReady = true;
    expect(stage.synced).toEqual([]);
    await stage.clock.pass(1);
    expect(stage.synced).toEqual(['a']);
  });

  test('one that is taken back leaves no trace', async () => {
    const stage = await running(podAsking('a', '1'));
    stage.change(podAsking('a', '3', { generation: 2 }));
    expect(stage.pendingReasonOf('a')).toBe('Deferred');
    stage.change(podAsking('a', '1000m', { generation: 3 }));
    expect(stage.status.resizeConditions('a')).toEqual([]);
  });

  test('one that makes room goes before one that needs it', async () => {
    const stage = await running(podAsking('a', '1'), podAsking('b', '1'));
    stage.areSourcesReady = false;
    stage.change(podAsking('a', '1500m', { generation: 2 }));
    stage.change(podAsking('b', '500m', { generation: 2 }));
    stage.areSourcesReady = true;
    await stage.manager.retryPendingResizes('periodic_retry');
    expect(stage.synced).toEqual(['b', 'a']);
  });

  test('one that this node can never do is refused once', async () => {
    const stage = await running(podAsking('a', '1'));
    stage.os = 'darwin';
    stage.change(podAsking('a', '2', { generation: 2 }));
    expect(stage.eventTexts()[0]).toMatch(/^Warning ResizeInfeasible Pod resize Infeasible: \{/);
    expect(stage.observed).toContainEqual(['resizeRefused', 'unsupported_platform']);
    stage.os = 'linux';
    await stage.clock.pass(600_000);
    expect(stage.pendingReasonOf('a')).toBe('Infeasible');
  });

  test('one that could not be written is not granted, and is tried again', async () => {
    const stage = await running(podAsking('a', '1'));
    stage.failWrites(checkpointNotWritten({ file: 'f', reason: 'ENOSPC' }));
    const resized = stage.change(podAsking('a', '2', { generation: 2 }));
    await promisesSettled();
    expect(cpuOf(stage.manager.updatePodFromAllocation(resized))).toBe('1');
    expect(stage.synced).toEqual([]);
    stage.failWrites(null);
    await stage.clock.pass(30_000);
    expect(cpuOf(stage.manager.updatePodFromAllocation(resized))).toBe('2');
    expect(stage.synced).toEqual(['a']);
  });

  test('one that is in place but maybe not for good counts', async () => {
    const stage = await running(podAsking('a', '1'));
    stage.failWrites(checkpointNotDurable({ file: 'f', reason: 'EIO' }));
    stage.change(podAsking('a', '2', { generation: 2 }));
    await promisesSettled();
    expect(stage.synced).toEqual(['a']);
  });

  test('where nothing is kept, a pod has what its spec says', async () => {
    const stage = new AllocationStage({ store: noStateStore });
    const pod = podAsking('a', '1');
    expect(stage.add(pod)).toBeNull();
    await stage.manager.kept(pod);
    const resized = stage.change(podAsking('a', '2', { generation: 2 }));
    expect(stage.manager.updatePodFromAllocation(resized)).toBe(resized);
    expect(stage.events).toEqual([]);
  });
});
