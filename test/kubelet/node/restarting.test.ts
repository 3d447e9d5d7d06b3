/** Podkeep is restarted at any moment: containers run on as if nothing had happened. */
import { expect, test } from 'vitest';
import type { ContainerStatus } from '../../../src/api/pod.ts';
import type { ContainerScript } from '../../../src/runtimes/simulated/script.ts';
import { at, conditionOf, containersOf, openNode, podOf, statusOf, uidOf } from './node-test.ts';
import type { VirtualNode } from './virtual-node.ts';

async function restart(node: VirtualNode, awayMs = 1000): Promise<void> {
  await node.stop();
  await node.pass(awayMs);
  await node.start();
}

async function containerOf(node: VirtualNode, name = 'web'): Promise<ContainerStatus | undefined> {
  return (await statusOf(node, name))?.containerStatuses?.[0];
}

test('a running pod runs on, and its status is not written again', async () => {
  const node = await openNode();
  const uid = uidOf(await node.cluster.createPod(podOf('web')));
  await node.pass(20_000);
  const before = await node.cluster.findPod(at('web'));
  await restart(node);
  await node.pass(60_000);
  expect(containersOf(node, uid)).toEqual(['main running']);
  expect(await node.cluster.findPod(at('web'))).toEqual(before);
});

// Each moment of a start of 1 + 2 + 3 s: image, container, process.
test.for([100, 1500, 3500, 5500, 7000])(
  'podkeep that stops %i ms into a start leaves one running container behind',
  async (ms) => {
    const script: ContainerScript = { createMs: 2000, startMs: 3000 };
    const node = await openNode({
      scripts: () => script,
      images: [],
      registry: new Map([['busy:1', 1000]]),
    });
    const uid = uidOf(await node.cluster.createPod(podOf('web')));
    await node.pass(ms);
    await restart(node);
    await node.pass(120_000);
    const running = containersOf(node, uid).filter((one) => one === 'main running');
    expect(running).toHaveLength(1);
    expect(node.machine.inspect(uid).sandboxes.filter(({ ready }) => ready)).toHaveLength(1);
    expect(conditionOf(await statusOf(node, 'web'), 'Ready')).toBe('True');
  },
);

test('restart counts, exit codes and termination messages survive, even of exits meanwhile', async () => {
  const dies: ContainerScript = { lifeMs: 5000, exitCode: 3, terminationMessage: 'I am off' };
  const node = await openNode({ scripts: () => dies });
  await node.cluster.createPod(podOf('web'));
  await node.pass(7000);
  expect(await containerOf(node)).toMatchObject({ restartCount: 1 });
  await restart(node, 6000);
  await node.pass(100);
  // Back-offs are not remembered (KL-51): the first restart under a new podkeep is immediate.
  expect(await containerOf(node)).toMatchObject({
    restartCount: 2,
    lastState: { terminated: { exitCode: 3, message: 'I am off' } },
    state: { running: {} },
  });
  await node.pass(6000);
  expect(await containerOf(node)).toMatchObject({
    restartCount: 2,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
  });
});

test('a pod that ended while podkeep was down has its exit code reported', async () => {
  const job: ContainerScript = { lifeMs: 5000, exitCode: 4, terminationMessage: 'so long' };
  const node = await openNode({ scripts: () => job });
  await node.cluster.createPod(podOf('web', { restartPolicy: 'Never' }));
  await node.pass(1000);
  await restart(node, 10_000);
  await node.pass(1000);
  expect(await statusOf(node, 'web')).toMatchObject({ phase: 'Failed' });
  expect((await containerOf(node))?.state?.terminated).toMatchObject({
    exitCode: 4,
    message: 'so long',
  });
});

test('readiness does not flap, with a probe or without (KL-79)', async () => {
  const node = await openNode();
  const readinessProbe = { exec: { command: ['true'] }, periodSeconds: 5 };
  const containers = [{ name: 'main', image: 'busy:1', readinessProbe }];
  await node.cluster.createPod(podOf('plain'));
  await node.cluster.createPod(podOf('probed', { containers }));
  await node.pass(30_000);
  const from = node.cluster.seen.length;
  await restart(node);
  await node.pass(60_000);
  const ready = node.cluster.seen
    .slice(from)
    .map(({ pod }) => `${pod.metadata.name} ${conditionOf(pod.status, 'Ready')}`);
  expect(ready.filter((word) => !word.endsWith('True'))).toEqual([]);
  for (const name of ['plain', 'probed']) {
    expect(conditionOf(await statusOf(node, name), 'Ready')).toBe('True');
  }
});

test.for([500, 2500, 5500])('a deletion that began %i ms before is completed', async (ms) => {
  const node = await openNode({ scripts: () => ({ stop: { afterMs: 5000, exitCode: 0 } }) });
  const uid = uidOf(await node.cluster.createPod(podOf('web')));
  await node.pass(5000);
  await node.cluster.deletePod(at('web'));
  await node.pass(ms);
  await restart(node);
  await node.pass(60_000);
  expect(await node.cluster.findPod(at('web'))).toBeNull();
  expect(containersOf(node, uid)).toEqual([]);
});

test('a pod that was deleted while podkeep was down ends with its grace period', async () => {
  const node = await openNode({ scripts: () => ({ stop: { afterMs: 2000, exitCode: 0 } }) });
  await node.cluster.createPod(podOf('web'));
  await node.pass(5000);
  await node.stop();
  await node.cluster.deletePod(at('web'));
  await node.pass(3000);
  await node.start();
  await node.pass(10_000);
  expect(await node.cluster.findPod(at('web'))).toBeNull();
  const ended = node.cluster.statuses('web').at(-1)?.containerStatuses?.[0]?.state?.terminated;
  expect(ended).toMatchObject({ exitCode: 0, reason: 'Completed' });
});

test('completed init containers are not run again', async () => {
  const runs: string[] = [];
  const node = await openNode({
    scripts: ({ config }) => {
      runs.push(config.name);
      return config.name === 'first' ? { lifeMs: 1000, exitCode: 0 } : {};
    },
  });
  await node.cluster.createPod(podOf('web', { initContainers: [{ name: 'first', image: 'i' }] }));
  await node.pass(5000);
  await restart(node);
  await node.pass(60_000);
  expect(runs).toEqual(['first', 'main']);
});

test('after a reboot of the machine, pods start again and count it', async () => {
  const node = await openNode();
  await node.cluster.createPod(podOf('web'));
  await node.pass(5000);
  await node.stop();
  node.machine.reboot();
  await node.start();
  await node.pass(30_000);
  expect(await containerOf(node)).toMatchObject({ restartCount: 1, ready: true });
});
