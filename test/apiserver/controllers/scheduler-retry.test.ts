/** A pod that the scheduler took from its queue, but neither bound nor refused, is tried again. */
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness } from './controller-harness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

async function openHarness(): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers: ['scheduler'] });
  await harness.make('/api/v1/namespaces', 'kube-system');
  return harness;
}

async function addNode(harness: ControllerHarness, name: string): Promise<void> {
  const allocatable = { cpu: '2', memory: '4Gi', pods: '10' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }];
  const metadata = { labels: { 'kubernetes.io/hostname': name } };
  const status = { capacity: allocatable, allocatable, conditions };
  await harness.make('/api/v1/nodes', name, { metadata, status });
  await harness.settle();
}

async function addPod(harness: ControllerHarness, spec: JsonObject = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'nginx:1' }];
  await harness.make(PODS, 'web', { spec: { containers, ...spec } });
  await harness.settle();
}

async function nodeOf(harness: ControllerHarness): Promise<unknown> {
  const { body } = await harness.get(`${PODS}/web`);
  return (body['spec'] as JsonObject)['nodeName'];
}

test('when the Lease changed hands while its volumes were bound', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await harness.make('/apis/storage.k8s.io/v1/storageclasses', 'late', {
    provisioner: 'example.com/disk',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await harness.make(CLAIMS, 'data', {
    spec: {
      storageClassName: 'late',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await addPod(harness, {
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
  });
  expect((await harness.get(`${CLAIMS}/data`)).body.metadata['annotations']).toMatchObject({
    'volume.kubernetes.io/selected-node': 'node-1',
  });
  const other = { spec: { holderIdentity: 'kube-scheduler-1', leaseDurationSeconds: 15 } };
  expect((await harness.patch(`${LEASES}/kube-scheduler`, other)).code).toBe(200);
  await harness.make('/api/v1/persistentvolumes', 'pv', {
    spec: {
      storageClassName: 'late',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/data' },
      claimRef: { namespace: 'default', name: 'data' },
    },
  });
  await harness.patch(`${CLAIMS}/data`, {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName: 'pv' },
  });
  await harness.settle(5000);
  expect(await nodeOf(harness)).toBeUndefined();
  // The other scheduler is gone; its Lease expires.
  await harness.settle(20_000);
  expect(await nodeOf(harness)).toBe('node-1');
});

test('when the choice of a node threw an error', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addNode(harness, 'node-2');
  const list = harness.store.list.bind(harness.store);
  let failures = 0;
  const listing = vi.spyOn(harness.store, 'list').mockImplementation((prefix, ...rest) => {
    // Read when nodes are scored.
    if (prefix.startsWith('/core/services/') && failures++ === 0) throw new Error('disk failed');
    return list(prefix, ...rest);
  });
  await addPod(harness);
  expect(failures).toBe(1);
  expect(await nodeOf(harness)).toBeUndefined();
  await harness.settle(2000);
  expect(await nodeOf(harness)).toMatch(/^node-/);
  listing.mockRestore();
});
