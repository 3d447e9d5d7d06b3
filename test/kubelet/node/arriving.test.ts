/** New pods: admitted or rejected, in order (KL-57 to KL-63). */
import { expect, test } from 'vitest';
import type { StateStore } from '../../../src/ports/pod/state-store.ts';
import { at, eventsAbout, openNode, podOf, runningPods, statusOf, uidOf } from './node-test.ts';

const HALF = {
  containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1500m' } } }],
};

/** Wraps every write of a pod's allocation. */
function writing(around: (real: () => Promise<void>) => Promise<void>) {
  return (store: StateStore): StateStore => {
    const write = store.setPodResources.bind(store);
    const setPodResources: StateStore['setPodResources'] = (uid, resources) =>
      around(() => write(uid, resources));
    return Object.assign(store, { setPodResources });
  };
}

test('one seed gives one history', async () => {
  const stories: string[] = [];
  while (stories.length < 2) {
    const node = await openNode({ seed: 7 });
    for (const name of ['a', 'b', 'c']) await node.cluster.createPod(podOf(name));
    await node.pass(5000);
    await node.cluster.deletePod(at('b'));
    await node.pass(30_000);
    stories.push(JSON.stringify(node.cluster.seen));
  }
  expect(stories[1]).toBe(stories[0]);
  expect(stories[0]).toContain('"DELETED"');
});

test('a pod without a node is bound by the scheduler, and runs (KL-57)', async () => {
  const node = await openNode();
  const { nodeName: _none, ...spec } = podOf('web').spec;
  await node.cluster.createPod({ ...podOf('web'), spec } as never);
  await node.pass(1000);
  expect((await statusOf(node, 'web'))?.phase).toBe('Running');
  expect(node.problems).toEqual([]);
});

test('pods that were created while podkeep was down are admitted by the time of their creation (KL-59)', async () => {
  const node = await openNode();
  await node.stop();
  // By name `a` would be the first; by creation it is the last, and only one fits.
  for (const name of ['b', 'a']) {
    await node.cluster.createPod(podOf(name, HALF));
    await node.pass(2000);
  }
  await node.start();
  await node.pass(3000);
  expect((await statusOf(node, 'b'))?.phase).toBe('Running');
  expect(await statusOf(node, 'a')).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
});

test('a pod that is removed while its allocation is written gets no worker', async () => {
  let write: () => void = () => {};
  const node = await openNode({
    allocated: writing(async (real) => {
      await new Promise<void>((resolve) => (write = resolve));
      await real();
    }),
  });
  const { metadata } = await node.cluster.createPod(podOf('web'));
  await node.pass(5000);
  expect(node.kubelet.hasWorker(metadata.uid ?? '')).toBe(false);
  await node.cluster.deletePod(at('web'), { gracePeriodSeconds: 0 });
  await node.pass(5000);
  write();
  await node.pass(10_000);
  expect(node.kubelet.hasWorker(metadata.uid ?? '')).toBe(false);
  expect(node.machine.list()).toEqual([]);
});

test('an allocation that cannot be written keeps the pod waiting until it can', async () => {
  let isFull = true;
  const node = await openNode({
    allocated: writing((real) => (isFull ? Promise.reject(new Error('disk full')) : real())),
  });
  await node.cluster.createPod(podOf('web'));
  await node.pass(15_000);
  expect(runningPods(node)).toEqual([]);
  isFull = false;
  await node.pass(10_000);
  expect(runningPods(node)).toEqual(['web']);
});

test('a rejected pod keeps its status, is not started by later changes, and can be deleted (KL-62, KL-64)', async () => {
  const node = await openNode();
  const spec = { nodeSelector: { no: 'such' } };
  const uid = uidOf(await node.cluster.createPod(podOf('odd', spec)));
  await node.pass(1000);
  const rejected = {
    phase: 'Failed',
    reason: 'NodeAffinity',
    message:
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  };
  expect(await statusOf(node, 'odd')).toMatchObject(rejected);
  await node.cluster.patchPod(at('odd'), { metadata: { labels: { some: 'thing' } } });
  await node.pass(30_000);
  expect(await statusOf(node, 'odd')).toMatchObject(rejected);
  expect(node.kubelet.hasWorker(uid)).toBe(false);
  expect(node.machine.list()).toEqual([]);
  expect(await eventsAbout(node, 'odd')).toHaveLength(1);

  await node.cluster.deletePod(at('odd'));
  await node.pass(5000);
  expect(await node.cluster.findPod(at('odd'))).toBeNull();
});

test('a rejected pod is still rejected after a restart, and can still be deleted', async () => {
  const node = await openNode();
  await node.cluster.createPod(podOf('odd', { nodeSelector: { no: 'such' } }));
  await node.pass(1000);
  await node.stop();
  await node.start();
  await node.pass(10_000);
  expect(await statusOf(node, 'odd')).toMatchObject({ phase: 'Failed', reason: 'NodeAffinity' });
  await node.cluster.deletePod(at('odd'));
  await node.pass(5000);
  expect(await node.cluster.findPod(at('odd'))).toBeNull();
  expect(node.machine.list()).toEqual([]);
});

test('the resources of a finished pod are free for the next one (KL-63)', async () => {
  const node = await openNode();
  await node.cluster.createPod(podOf('first', HALF));
  await node.pass(1000);
  await node.cluster.deletePod(at('first'));
  await node.pass(5000);
  await node.cluster.createPod(podOf('second', HALF));
  await node.pass(1000);
  expect((await statusOf(node, 'second'))?.phase).toBe('Running');
});
