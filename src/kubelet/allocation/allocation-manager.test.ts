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
import { AllocationHarness, podAsking } from '../../../test/support/allocation-harness.ts';

function cpuOf(pod: Pod): unknown {
  return pod.spec.containers[0]?.resources?.requests?.['cpu'];
}

describe('admission', () => {
  test('each pod of a burst counts those before it, and rejected pods take no capacity', async () => {
    const harness = new AllocationHarness();
    const decisions = ['1500m', '1', '500m', '1m'].map((cpu, index) => {
      return harness.add(podAsking(`p${index}`, cpu))?.reason ?? 'in';
    });
    expect(decisions).toEqual(['in', 'OutOfcpu', 'in', 'OutOfcpu']);
    await Promise.all(['p0', 'p2'].map((uid) => harness.manager.durable(harness.pod(uid))));
    expect([...harness.store.all().keys()]).toEqual(['p0', 'p2']);
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
    const harness = new AllocationHarness({ store });
    const pods = Array.from({ length: 30 }, (_, index) => podAsking(`p${index}`, '1m'));
    for (const pod of pods) harness.add(pod);
    await Promise.all(pods.map((pod) => harness.manager.durable(pod)));
    expect(writes).toBe(1);
  });

  test('the allocation from before a restart counts, not the request of the spec', async () => {
    const folder = makeTempFolder();
    const open = () => openCheckpointStateStore({ folder, name: ALLOCATED_PODS_STATE });
    const first = new AllocationHarness({ store: await open() });
    first.add(podAsking('a', '500m'));
    await first.manager.durable(first.pod('a'));

    const second = new AllocationHarness({ store: await open() });
    const greedy = podAsking('a', '9', { generation: 2 });
    expect(second.add(greedy)).toBeNull();
    expect(cpuOf(second.manager.updatePodFromAllocation(greedy))).toBe('500m');
    await second.manager.podsAdded([greedy]);
    expect(second.pendingReasonOf('a')).toBe('Deferred');
  });

  test('a grant that could not be written is written by the next call', async () => {
    const harness = new AllocationHarness();
    harness.failWrites(checkpointNotWritten({ file: 'f', reason: 'ENOSPC' }));
    harness.add(podAsking('a', '1'));
    await expect(harness.manager.durable(harness.pod('a'))).rejects.toThrow('f');
    expect(harness.add(podAsking('b', '1500m'))?.reason).toBe('OutOfcpu');
    harness.failWrites(null);
    await harness.manager.durable(harness.pod('a'));
    expect(harness.store.containerResources('a', 'c')).toEqual({ requests: { cpu: '1' } });
  });

  test('a pod that is gone is forgotten, and its capacity is free', async () => {
    const harness = new AllocationHarness();
    harness.add(podAsking('a', '2'));
    await harness.manager.durable(harness.pod('a'));
    harness.remove('a');
    harness.manager.removePod('a');
    expect(harness.add(podAsking('b', '2'))).toBeNull();
    await harness.manager.durable(harness.pod('b'));
    expect([...harness.store.all().keys()]).toEqual(['b']);
    harness.manager.removeOrphanedPods(new Set());
    await promisesSettled();
    expect(harness.store.all().size).toBe(0);
  });
});

describe('critical pods', () => {
  test('wait until the preempted pods have stopped, and so does every pod that comes meanwhile', async () => {
    const harness = new AllocationHarness();
    harness.add(podAsking('victim', '2'));
    await harness.manager.durable(harness.pod('victim'));
    expect(harness.add(podAsking('boss', '1', { priority: 2e9 }))).toBeNull();
    expect(harness.add(podAsking('other', '1'))).toBeNull();
    expect(harness.eventTexts()).toEqual([
      'Warning Preempting Preempted in order to admit critical pod',
    ]);
    const started: string[] = [];
    for (const uid of ['boss', 'other']) {
      void harness.manager.durable(harness.pod(uid)).then(() => started.push(uid));
    }
    await promisesSettled();
    expect(started).toEqual([]);
    const [kill] = harness.kills;
    expect(kill?.options.overrideStatus?.({ phase: 'Running' })).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
    });
    harness.remove('victim');
    kill?.done();
    await promisesSettled();
    expect(started.sort()).toEqual(['boss', 'other']);
    expect(harness.observed).toContainEqual(['podPreempted', 'cpu']);
  });
});

describe('resizes', () => {
  async function running(...pods: readonly Pod[]): Promise<AllocationHarness> {
    const harness = new AllocationHarness();
    for (const pod of pods) {
      expect(harness.add(pod)).toBeNull();
      await harness.manager.durable(pod);
    }
    harness.manager.start();
    return harness;
  }

  test('one that fits is granted: on disk first, then reported, then synced', async () => {
    const harness = await running(podAsking('a', '1'));
    const resized = harness.change(podAsking('a', '2', { generation: 2 }));
    expect(cpuOf(harness.manager.updatePodFromAllocation(resized))).toBe('2');
    await promisesSettled();
    expect(harness.eventTexts()).toEqual([
      'Normal ResizeStarted Pod resize started: ' +
        '{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}],"generation":2}',
    ]);
    expect(harness.status.resizeConditions('a')).toMatchObject([
      { type: 'PodResizeInProgress', status: 'True', observedGeneration: 2 },
    ]);
    expect(harness.synced).toEqual(['a']);
    expect(harness.observed).toEqual([
      ['resizeRequested', { resource: 'cpu', requirement: 'requests', operation: 'increase' }],
    ]);
  });

  test('one that does not fit waits, and is granted when another pod has ended', async () => {
    const harness = await running(podAsking('a', '1'), podAsking('b', '1'));
    const resized = harness.change(podAsking('a', '2', { generation: 2 }));
    const message =
      "Node didn't have enough resource: cpu, requested: 2000, used: 1000, capacity: 2000";
    expect(harness.eventTexts()).toEqual([
      'Warning ResizeDeferred Pod resize OutOfcpu: ' +
        '{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}],"generation":2,' +
        `"error":${JSON.stringify(message)}}`,
    ]);
    expect(harness.status.resizeConditions('a')).toMatchObject([
      { type: 'PodResizePending', reason: 'Deferred', message },
    ]);
    expect(cpuOf(harness.manager.updatePodFromAllocation(resized))).toBe('1');

    harness.manager.podUpdated(harness.pod('b'), { phase: 'Running' });
    const ended = harness.pod('b');
    harness.remove('b');
    harness.manager.podUpdated(ended, { phase: 'Succeeded' });
    await promisesSettled();
    expect(cpuOf(harness.manager.updatePodFromAllocation(resized))).toBe('2');
    expect(harness.observed).toContainEqual(['deferredResizeAccepted', 'pod_terminated']);
    expect(harness.pendingReasonOf('a')).toBeUndefined();
  });

  test('pending resizes are retried periodically: after three minutes, and not a moment sooner', async () => {
    const harness = await running(podAsking('a', '1'), podAsking('b', '1'));
    harness.change(podAsking('a', '2', { generation: 2 }));
    harness.remove('b');
    await harness.clock.pass(179_999);
    expect(harness.pendingReasonOf('a')).toBe('Deferred');
    await harness.clock.pass(1);
    expect(harness.pendingReasonOf('a')).toBeUndefined();
    expect(harness.observed).toContainEqual(['deferredResizeAccepted', 'periodic_retry']);
  });

  test('nothing is granted before all sources have reported, which is checked every 30 s', async () => {
    const harness = await running(podAsking('a', '1'));
    harness.areSourcesReady = false;
    harness.change(podAsking('a', '2', { generation: 2 }));
    await harness.clock.pass(29_999);
    harness.areSourcesReady = true;
    expect(harness.synced).toEqual([]);
    await harness.clock.pass(1);
    expect(harness.synced).toEqual(['a']);
  });

  test('one that is taken back leaves no trace', async () => {
    const harness = await running(podAsking('a', '1'));
    harness.change(podAsking('a', '3', { generation: 2 }));
    expect(harness.pendingReasonOf('a')).toBe('Deferred');
    harness.change(podAsking('a', '1000m', { generation: 3 }));
    expect(harness.status.resizeConditions('a')).toEqual([]);
  });

  test('one that frees capacity goes before one that needs it', async () => {
    const harness = await running(podAsking('a', '1'), podAsking('b', '1'));
    harness.areSourcesReady = false;
    harness.change(podAsking('a', '1500m', { generation: 2 }));
    harness.change(podAsking('b', '500m', { generation: 2 }));
    harness.areSourcesReady = true;
    await harness.manager.retryPendingResizes('periodic_retry');
    expect(harness.synced).toEqual(['b', 'a']);
  });

  test('one that is infeasible on this node is refused once', async () => {
    const harness = await running(podAsking('a', '1'));
    harness.os = 'darwin';
    harness.change(podAsking('a', '2', { generation: 2 }));
    expect(harness.eventTexts()[0]).toMatch(/^Warning ResizeInfeasible Pod resize Infeasible: \{/);
    expect(harness.observed).toContainEqual(['resizeRefused', 'unsupported_platform']);
    harness.os = 'linux';
    await harness.clock.pass(600_000);
    expect(harness.pendingReasonOf('a')).toBe('Infeasible');
  });

  test('one that could not be written is not granted, and is tried again', async () => {
    const harness = await running(podAsking('a', '1'));
    harness.failWrites(checkpointNotWritten({ file: 'f', reason: 'ENOSPC' }));
    const resized = harness.change(podAsking('a', '2', { generation: 2 }));
    await promisesSettled();
    expect(cpuOf(harness.manager.updatePodFromAllocation(resized))).toBe('1');
    expect(harness.synced).toEqual([]);
    harness.failWrites(null);
    await harness.clock.pass(30_000);
    expect(cpuOf(harness.manager.updatePodFromAllocation(resized))).toBe('2');
    expect(harness.synced).toEqual(['a']);
  });

  test('one that is in place but maybe not durable counts', async () => {
    const harness = await running(podAsking('a', '1'));
    harness.failWrites(checkpointNotDurable({ file: 'f', reason: 'EIO' }));
    harness.change(podAsking('a', '2', { generation: 2 }));
    await promisesSettled();
    expect(harness.synced).toEqual(['a']);
  });

  test('without a state store, a pod has the resources of its spec', async () => {
    const harness = new AllocationHarness({ store: noStateStore });
    const pod = podAsking('a', '1');
    expect(harness.add(pod)).toBeNull();
    await harness.manager.durable(pod);
    const resized = harness.change(podAsking('a', '2', { generation: 2 }));
    expect(harness.manager.updatePodFromAllocation(resized)).toBe(resized);
    expect(harness.events).toEqual([]);
  });
});
