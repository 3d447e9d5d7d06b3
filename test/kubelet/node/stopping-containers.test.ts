/** One container of a running pod is stopped, as an action of an alert does it: the kubelet starts it again. */
import { expect, test } from 'vitest';
import { at, containersOf, openNode, podOf, statusOf, uidOf } from './node-test.ts';

const never = new AbortController().signal;

test('a container that is stopped starts again, and the others of its pod run on', async () => {
  const node = await openNode();
  const containers = ['main', 'side'].map((name) => ({ name, image: 'busy:1' }));
  const pod = await node.cluster.createPod(podOf('web', { containers }));
  await node.pass(5000);
  const stopping = node.kubelet.stopContainer(pod, 'main', 'restarted by alert Some', never);
  await node.pass(60_000);
  expect(await stopping).toBe(true);
  const statuses = (await statusOf(node, 'web'))?.containerStatuses ?? [];
  expect(
    statuses.map(({ name, restartCount, state }) => [
      name,
      restartCount,
      'running' in (state ?? {}),
    ]),
  ).toEqual([
    ['main', 1, true],
    ['side', 0, true],
  ]);
});

test('a container that does not run, and one of a pod that ends, is left alone', async () => {
  const node = await openNode();
  const pod = await node.cluster.createPod(podOf('web', { terminationGracePeriodSeconds: 30 }));
  await node.pass(5000);
  expect(await node.kubelet.stopContainer(pod, 'other', '', never)).toBe(false);
  await node.cluster.deletePod(at('web'));
  await node.pass(50);
  expect(await node.kubelet.stopContainer(pod, 'main', '', never)).toBe(false);
  await node.pass(60_000);
  expect(containersOf(node, uidOf(pod)).filter((one) => one.endsWith('running'))).toEqual([]);
});
