import { expect, test } from 'vitest';
import { ApiHarness } from '../../../test/apiserver/api-harness.ts';
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf } from '../objects/metadata.ts';
import { bootstrapDefaultStorageClass } from './default-storage-class.ts';
import { bootstrapKubernetesService } from './kubernetes-service.ts';
import { bootstrapNamespaces } from './namespaces.ts';
import { bootstrapPriorityClasses } from './priority-classes.ts';

const address = { ip: '127.0.0.1', port: 6443 };

async function bootstrap(harness: ApiHarness, { ip, port } = address): Promise<void> {
  const { parts } = harness.server;
  await Promise.all([bootstrapNamespaces(parts), bootstrapPriorityClasses(parts)]);
  await bootstrapKubernetesService(parts, { ip, port });
}

async function get(harness: ApiHarness, path: string): Promise<JsonObject> {
  const { code, body } = await harness.send('GET', path);
  expect([path, code]).toEqual([path, 200]);
  return body;
}

const SERVICE = '/api/v1/namespaces/default/services/kubernetes';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints/kubernetes';
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';

test('every cluster has four namespaces', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  const { items } = await get(harness, '/api/v1/namespaces');
  const namespaces = (items as JsonObject[]).map((one) => {
    const { name, labels } = metadataOf(one);
    return [name, labels, one['status']];
  });
  expect(namespaces).toEqual(
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => [
      name,
      { 'kubernetes.io/metadata.name': name },
      { phase: 'Active' },
    ]),
  );
});

test('and two priority classes', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  const { items } = await get(harness, '/apis/scheduling.k8s.io/v1/priorityclasses');
  const classes = (items as JsonObject[]).map((one) => {
    return [metadataOf(one)['name'], one['value'], one['preemptionPolicy']];
  });
  expect(classes).toEqual([
    ['system-cluster-critical', 2_000_000_000, 'PreemptLowerPriority'],
    ['system-node-critical', 2_000_001_000, 'PreemptLowerPriority'],
  ]);
});

test('and a service by which pods find the server', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  const service = await get(harness, SERVICE);
  expect(metadataOf(service)['labels']).toEqual({ component: 'apiserver', provider: 'kubernetes' });
  expect(service['spec']).toEqual({
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  });
  const endpoints = await get(harness, ENDPOINTS);
  expect(metadataOf(endpoints)['labels']).toEqual({
    'endpointslice.kubernetes.io/skip-mirror': 'true',
  });
  expect(endpoints['subsets']).toEqual([
    { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
  ]);
  const slice = await get(harness, SLICE);
  expect(metadataOf(slice)['labels']).toEqual({ 'kubernetes.io/service-name': 'kubernetes' });
  expect(slice).toMatchObject({
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
});

test('the next start changes nothing', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  const { revision } = harness.store;
  await bootstrap(harness);
  expect(harness.store.revision).toBe(revision);
});

test('changes by users stay, except for the address', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  await harness.send('PATCH', SERVICE, { metadata: { labels: { mine: 'yes' } } }, MERGE);
  await harness.send(
    'PATCH',
    '/api/v1/namespaces/default',
    { metadata: { labels: { a: 'b' } } },
    MERGE,
  );
  await bootstrap(harness, { ip: '127.0.0.1', port: 7443 });
  expect(metadataOf(await get(harness, SERVICE))['labels']).toMatchObject({ mine: 'yes' });
  expect(metadataOf(await get(harness, '/api/v1/namespaces/default'))['labels']).toMatchObject({
    a: 'b',
  });
  expect(await get(harness, ENDPOINTS)).toMatchObject({ subsets: [{ ports: [{ port: 7443 }] }] });
  expect(await get(harness, SLICE)).toMatchObject({ ports: [{ port: 7443 }] });
});

test('a server that moves to another family of addresses gets another slice', async () => {
  const harness = new ApiHarness();
  await bootstrap(harness);
  await bootstrap(harness, { ip: '2001:db8::1', port: 6443 });
  expect(await get(harness, SLICE)).toMatchObject({
    addressType: 'IPv6',
    endpoints: [{ addresses: ['2001:db8::1'] }],
  });
});

const MERGE = { 'content-type': 'application/merge-patch+json' };

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' };

test('the default storage class is created once, and stays deleted', async () => {
  const harness = new ApiHarness();
  const { parts } = harness.server;
  await bootstrap(harness);
  await bootstrapDefaultStorageClass(parts);
  const created = await get(harness, `${CLASSES}/standard`);
  expect(metadataOf(created)['annotations']).toEqual(DEFAULT);
  expect(created).toMatchObject({
    provisioner: 'podkeep.dev/local',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  });
  await harness.send('DELETE', `${CLASSES}/standard`);
  await bootstrapDefaultStorageClass(parts);
  expect((await harness.send('GET', `${CLASSES}/standard`)).code).toBe(404);
});

test('a class of that name stays as it is, and another default stays the only one', async () => {
  const harness = new ApiHarness();
  const { parts } = harness.server;
  await bootstrap(harness);
  const metadata = { name: 'mine', annotations: DEFAULT };
  await harness.send('POST', CLASSES, { metadata, provisioner: 'example.com/disks' });
  await bootstrapDefaultStorageClass(parts);
  const standard = await get(harness, `${CLASSES}/standard`);
  expect(metadataOf(standard)['annotations']).toBeUndefined();

  const other = new ApiHarness();
  await bootstrap(other);
  const own = { metadata: { name: 'standard' }, provisioner: 'example.com/disks' };
  await other.send('POST', CLASSES, own);
  await bootstrapDefaultStorageClass(other.server.parts);
  expect(await get(other, `${CLASSES}/standard`)).toMatchObject({ provisioner: own.provisioner });
});
