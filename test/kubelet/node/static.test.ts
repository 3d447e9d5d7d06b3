/** Static pods and their mirrors, with a real folder of manifests (KL-60, KL-65, PW-77). */
import { expect, test } from 'vitest';
import { at, containersOf, NODE, openNode, podOf, runningPods } from './node-test.ts';
import type { VirtualNode } from './virtual-node.ts';

const MIRROR = `web-${NODE}`;

function manifest(image: string, metadata: Record<string, string> = {}) {
  const containers = [{ name: 'main', image }];
  const { apiVersion, kind } = podOf('web');
  return {
    apiVersion,
    kind,
    metadata: { name: 'web', namespace: 'rec', ...metadata },
    spec: { containers },
  };
}

/** UIDs of the static pods that have something running. */
function runningUids(node: VirtualNode): readonly string[] {
  return node.machine
    .list()
    .filter(({ pod }) => pod.containers.some(({ state }) => state === 'running'))
    .map(({ uid }) => uid);
}

test('a changed manifest is another pod, which waits until the old one has ended (PW-80)', async () => {
  const scripts = () => ({ stop: { afterMs: 5000, exitCode: 0 } });
  const node = await openNode({ hasManifests: true, scripts });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  const [old = ''] = runningUids(node);
  await node.setManifest('web.yaml', manifest('two'));
  await node.pass(3000);
  expect(runningUids(node)).toEqual([old]);
  await node.pass(20_000);
  const [young = ''] = runningUids(node);
  expect(young).not.toBe(old);
  expect(runningUids(node)).toHaveLength(1);
  const mirror = await node.cluster.findPod(at(MIRROR));
  expect(mirror?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe(young);
  expect(mirror?.status).toMatchObject({ phase: 'Running' });
  expect(mirror?.spec.containers[0]).toMatchObject({ image: 'two' });
});

test('when the manifest is removed, the pod ends, and then its mirror is deleted (PW-77)', async () => {
  const scripts = () => ({ stop: { afterMs: 7000, exitCode: 0 } });
  const node = await openNode({ hasManifests: true, scripts });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  await node.setManifest('web.yaml', null);
  await node.pass(5000);
  expect(runningPods(node)).toEqual([MIRROR]);
  expect(await node.cluster.findPod(at(MIRROR))).not.toBeNull();
  await node.pass(15_000);
  expect(runningPods(node)).toEqual([]);
  expect(await node.cluster.findPod(at(MIRROR))).toBeNull();
});

test('a manifest that is moved away and back under one UID runs again (KL-65)', async () => {
  const scripts = () => ({ stop: { afterMs: 3000, exitCode: 0 } });
  const node = await openNode({ hasManifests: true, scripts });
  const fixed = manifest('one', { uid: 'fixed-uid' });
  await node.setManifest('web.yaml', fixed);
  await node.pass(1000);
  expect(runningUids(node)).toHaveLength(1);
  await node.setManifest('web.yaml', null);
  await node.pass(500);
  await node.setManifest('web.yaml', fixed);
  await node.pass(30_000);
  expect(runningUids(node)).toHaveLength(1);
  expect((await node.cluster.findPod(at(MIRROR)))?.status).toMatchObject({ phase: 'Running' });
  // And it stays: its containers are not taken for orphans.
  const before = containersOf(node, runningUids(node)[0] ?? '');
  await node.pass(60_000);
  expect(containersOf(node, runningUids(node)[0] ?? '')).toEqual(before);
});

test('a mirror that a user deletes comes back, and its pod runs on (KL-59)', async () => {
  const node = await openNode({ hasManifests: true });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  const [uid = ''] = runningUids(node);
  const first = await node.cluster.findPod(at(MIRROR));
  await node.cluster.deletePod(at(MIRROR));
  await node.pass(5000);
  const second = await node.cluster.findPod(at(MIRROR));
  expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  expect(second?.metadata.deletionTimestamp).toBeUndefined();
  expect(second?.status).toMatchObject({ phase: 'Running' });
  expect(containersOf(node, uid)).toEqual(['main running']);
});

test('a static pod outlives podkeep, and so does its mirror', async () => {
  const node = await openNode({ hasManifests: true });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  const [uid = ''] = runningUids(node);
  const mirror = await node.cluster.findPod(at(MIRROR));
  await node.stop();
  await node.start();
  await node.pass(30_000);
  expect(containersOf(node, uid)).toEqual(['main running']);
  expect((await node.cluster.findPod(at(MIRROR)))?.metadata.uid).toBe(mirror?.metadata.uid);
});

test('a manifest that was removed while podkeep was down takes its pod and its mirror with it', async () => {
  const node = await openNode({ hasManifests: true });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  await node.stop();
  await node.setManifest('web.yaml', null);
  await node.start();
  await node.pass(30_000);
  expect(runningPods(node)).toEqual([]);
  expect(await node.cluster.findPod(at(MIRROR))).toBeNull();
});

test('a manifest that changed while podkeep was down waits for the pod that still runs (PW-80)', async () => {
  const scripts = () => ({ stop: { afterMs: 700, exitCode: 0 } });
  const node = await openNode({ hasManifests: true, scripts });
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(1000);
  const [old = ''] = runningUids(node);
  await node.stop();
  await node.setManifest('web.yaml', manifest('two'));
  await node.start();
  for (let step = 0; step < 100; step++) {
    await node.pass(100);
    expect(runningUids(node).length).toBeLessThan(2);
  }
  const [young = ''] = runningUids(node);
  expect(young).not.toBe(old);
  expect(containersOf(node, young)).toEqual(['main running']);
  const mirror = await node.cluster.findPod(at(MIRROR));
  expect(mirror?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe(young);
});

test('a static pod does not wait for a pod of the API with the same name', async () => {
  const node = await openNode({ hasManifests: true });
  await node.cluster.createPod(podOf(MIRROR));
  await node.pass(1000);
  await node.setManifest('web.yaml', manifest('one'));
  await node.pass(3000);
  expect(runningUids(node)).toHaveLength(2);
});
