/** Pods end: deleted, forced, evicted, past their deadline, orphaned (KL-59, KL-64). */
import { expect, test } from 'vitest';
import { NAMESPACE } from './virtual-node.ts';
import {
  NO_ANSWER,
  at,
  eventsAbout,
  openNode,
  podOf,
  runningPods,
  statusOf,
  uidOf,
} from './node-test.ts';

const SLOW_STOP = { scripts: () => ({ stop: { afterMs: 5000, exitCode: 0 } }) };

test('a pod that is deleted by force is stopped and forgotten', async () => {
  const node = await openNode(SLOW_STOP);
  const uid = uidOf(await node.cluster.createPod(podOf('web')));
  await node.pass(1000);
  await node.cluster.deletePod(at('web'), { gracePeriodSeconds: 0 });
  await node.pass(60_000);
  expect(runningPods(node)).toEqual([]);
  expect(node.kubelet.hasWorker(uid)).toBe(false);
  expect(node.kubelet.podsWithStatus()).toEqual([]);
});

test('after a forced deletion, a new pod of the same name runs and the old one stops', async () => {
  const node = await openNode(SLOW_STOP);
  const old = uidOf(await node.cluster.createPod(podOf('web')));
  await node.pass(1000);
  await node.cluster.deletePod(at('web'), { gracePeriodSeconds: 0 });
  const young = uidOf(await node.cluster.createPod(podOf('web')));
  await node.pass(60_000);
  expect(young).not.toBe(old);
  expect(node.machine.inspect(old).containers.filter(({ state }) => state === 'running')).toEqual(
    [],
  );
  expect(node.machine.inspect(young).containers.map(({ state }) => state)).toEqual(['running']);
  expect(await statusOf(node, 'web')).toMatchObject({ phase: 'Running' });
});

test('an evicted pod reports that, stays until it is deleted, and goes then', async () => {
  const node = await openNode();
  const pod = await node.cluster.createPod(podOf('web'));
  await node.pass(1000);
  const known = node.kubelet.findPod({ namespace: NAMESPACE, name: 'web' });
  const killed = node.kubelet.killPod(known ?? pod, {
    evict: true,
    graceSeconds: 1,
    overrideStatus: (given) => ({
      ...given,
      phase: 'Failed',
      reason: 'Evicted',
      message: 'low on it',
    }),
  });
  await node.pass(5000);
  await killed;
  expect(await statusOf(node, 'web')).toMatchObject({
    phase: 'Failed',
    reason: 'Evicted',
    message: 'low on it',
  });
  await node.pass(60_000);
  expect(runningPods(node)).toEqual([]);
  await node.cluster.deletePod(at('web'));
  await node.pass(5000);
  expect(await node.cluster.findPod(at('web'))).toBeNull();
});

test('a pod past its deadline ends, and its status says why (activeDeadlineSeconds)', async () => {
  const node = await openNode();
  await node.cluster.createPod(podOf('web', { activeDeadlineSeconds: 20 }));
  await node.pass(19_000);
  expect((await statusOf(node, 'web'))?.phase).toBe('Running');
  await node.pass(5000);
  expect(await statusOf(node, 'web')).toMatchObject({
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
  expect(runningPods(node)).toEqual([]);
  expect(await eventsAbout(node, 'web')).toContainEqual(
    expect.stringMatching(/^DeadlineExceeded /),
  );
});

test('all pods go with their namespace, each with its own grace period', async () => {
  const node = await openNode(SLOW_STOP);
  for (const name of ['a', 'b']) await node.cluster.createPod(podOf(name));
  await node.pass(1000);
  await node.cluster.send('DELETE', '/api/v1/namespaces/rec');
  await node.pass(3000);
  expect(runningPods(node)).toEqual(['a', 'b']);
  await node.pass(60_000);
  expect(runningPods(node)).toEqual([]);
  expect(await node.cluster.find('/api/v1/namespaces/rec')).toBeNull();
});

test('a running pod without a source is killed (KL-64)', async () => {
  const node = await openNode();
  await node.cluster.createPod(podOf('web'));
  await node.pass(1000);
  await node.stop();
  await node.cluster.deletePod(at('web'), { gracePeriodSeconds: 0 });
  await node.pass(1000);
  expect(runningPods(node)).toEqual(['web']);
  await node.start();
  await node.pass(10_000);
  expect(runningPods(node)).toEqual([]);
});

test('no pod is killed for being unknown before all sources are ready (KL-59, KL-64)', async () => {
  let isCut = false;
  const node = await openNode({
    hasManifests: true,
    network: (inner) => ({
      close: () => inner.close(),
      send: (request, signal) => {
        const isPods = request.target.startsWith('/api/v1/pods');
        return isCut && isPods ? NO_ANSWER : inner.send(request, signal);
      },
    }),
  });
  await node.cluster.createPod(podOf('web'));
  await node.pass(1000);
  await node.stop();
  isCut = true;
  await node.start();
  await node.pass(300_000);
  expect(runningPods(node)).toEqual(['web']);
  isCut = false;
  await node.pass(120_000);
  expect(runningPods(node)).toEqual(['web']);
});
