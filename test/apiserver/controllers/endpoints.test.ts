/** EndpointSlices and Endpoints of Services, by the embedded server alone. */
import { expect, test, vi } from 'vitest';
import { pods } from '../../../src/apiserver/kinds/core/pods.ts';
import { prefixOf } from '../../../src/apiserver/registry/registry.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import { DEPLOYMENTS, deploymentOf, PODS, WorkloadHarness } from './workload-harness.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const CONTROLLERS = ['endpoint', 'endpointslice', 'endpointslicemirroring'] as const;

const WEB = { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } };

async function open(): Promise<WorkloadHarness> {
  const harness = await WorkloadHarness.open({
    controllers: [...CONTROLLERS, 'garbage-collector', 'deployment', 'replicaset'],
  });
  await harness.make('/api/v1/nodes', 'node');
  return harness;
}

async function makePod(harness: WorkloadHarness, name: string, fields: JsonObject = {}) {
  await harness.make(PODS, name, {
    metadata: { labels: { app: 'web' } },
    spec: { nodeName: 'node', containers: [{ name: 'a', image: 'a' }], ...fields },
  });
}

async function readyIn(harness: WorkloadHarness): Promise<readonly string[]> {
  const slices = await harness.list(SLICES);
  return slices
    .flatMap((slice) => objectsAt(slice, 'endpoints'))
    .filter((one) => structAt(one, 'conditions')['ready'] === true)
    .map((one) => textAt(one, 'targetRef.name'));
}

test('pods come and go, and slices and Endpoints follow', async () => {
  const harness = await open();
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle();
  expect(await harness.list(SLICES)).toMatchObject([{ addressType: 'IPv4', endpoints: null }]);
  expect(await harness.has(`${ENDPOINTS}/web`)).toBe(true);
  await makePod(harness, 'one');
  await makePod(harness, 'two');
  await harness.settle();
  expect(await readyIn(harness)).toEqual(['one', 'two']);
  expect((await harness.get(`${ENDPOINTS}/web`)).body['subsets']).toMatchObject([
    {
      addresses: [{ targetRef: { name: 'one' } }, { targetRef: { name: 'two' } }],
      ports: [{ port: 8080, protocol: 'TCP' }],
    },
  ]);
  await harness.patch(`${PODS}/one`, { metadata: { labels: { app: 'other' } } });
  await harness.settle();
  expect(await readyIn(harness)).toEqual(['two']);
  await harness.remove(`${PODS}/two`);
  await harness.settle();
  expect(await readyIn(harness)).toEqual([]);
  const [slice] = await harness.list(SLICES);
  await harness.stop();
  // One slice through all of it.
  expect(slice?.metadata['generateName']).toBe('web-');
});

test('nothing is written when nothing has changed', async () => {
  const harness = await open();
  await makePod(harness, 'one');
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle(5000);
  const versions = async (): Promise<unknown> =>
    (await Promise.all([harness.list(SLICES), harness.list(ENDPOINTS)])).map((list) =>
      list.map(({ metadata }) => metadata['resourceVersion']),
    );
  const before = await versions();
  await harness.patch(`${PODS}/one`, { metadata: { annotations: { a: 'b' } } });
  await harness.settle(5000);
  expect(await versions()).toEqual(before);
});

test('the annotation says when the change happened that the slice follows', async () => {
  const harness = await open();
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle();
  const created = textAt((await harness.get(`${SERVICES}/web`)).body, 'metadata.creationTimestamp');
  const timeOf = async (): Promise<unknown> =>
    structAt((await harness.list(SLICES))[0] ?? {}, 'metadata.annotations')[
      'endpoints.kubernetes.io/last-change-trigger-time'
    ];
  expect(await timeOf()).toBe(created);
  await harness.settle(60_000);
  await makePod(harness, 'one');
  await harness.settle();
  const pod = (await harness.get(`${PODS}/one`)).body;
  const ready = objectsAt(pod, 'status.conditions').find(({ type }) => type === 'Ready');
  expect(await timeOf()).toBe(ready?.['lastTransitionTime']);
  expect(await timeOf()).not.toBe(created);
});

test('a slice that a client changes or deletes is restored', async () => {
  const harness = await open();
  await makePod(harness, 'one');
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle();
  const [name = ''] = await harness.namesIn(SLICES);
  await harness.patch(`${SLICES}/${name}`, { endpoints: [{ addresses: ['10.9.9.9'] }] });
  await harness.settle(2000);
  expect(await readyIn(harness)).toEqual(['one']);
  await harness.remove(`${SLICES}/${name}`);
  await harness.remove(`${ENDPOINTS}/web`);
  await harness.settle(2000);
  expect(await readyIn(harness)).toEqual(['one']);
  expect(await harness.has(`${ENDPOINTS}/web`)).toBe(true);
});

test('a pod waits for its node, and says so in an event', async () => {
  const harness = await open();
  await makePod(harness, 'one', { nodeName: 'late' });
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle();
  expect(await readyIn(harness)).toEqual([]);
  expect(await harness.eventsOf('Service')).toEqual([
    'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/web: ' +
      'skipping Pod one for Service default/web: Node late Not Found',
  ]);
  const labels = { 'topology.kubernetes.io/zone': 'east' };
  await harness.make('/api/v1/nodes', 'late', { metadata: { labels } });
  await harness.settle();
  const [slice] = await harness.list(SLICES);
  expect(slice?.['endpoints']).toMatchObject([{ nodeName: 'late', zone: 'east' }]);
});

test('a deleted service takes its slices and its Endpoints with it', async () => {
  const harness = await open();
  await harness.make(SERVICES, 'web', WEB);
  await harness.settle();
  await harness.remove(`${SERVICES}/web`);
  await harness.settle(2000);
  expect(await harness.names(SLICES)).toEqual([]);
  expect(await harness.names(ENDPOINTS)).toEqual([]);
});

test('Endpoints whose service went while no controller ran are deleted, those of clients are not', async () => {
  const harness = await open();
  await harness.make(SERVICES, 'web', WEB);
  await harness.make(ENDPOINTS, 'early', { subsets: [] });
  await harness.settle();
  await harness.stop();
  await harness.remove(`${SERVICES}/web`);
  const next = await WorkloadHarness.resume({ controllers: CONTROLLERS, store: harness.store });
  expect(await next.names(ENDPOINTS)).toEqual(['early']);
});

test('Endpoints without a selector are mirrored, until the service has one', async () => {
  const harness = await open();
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 5432 }] }];
  await harness.make(ENDPOINTS, 'db', { subsets });
  await harness.settle();
  expect(await harness.names(SLICES)).toEqual([]);
  await harness.make(SERVICES, 'db', { spec: { ports: [{ port: 5432 }] } });
  await harness.settle();
  expect(await harness.list(SLICES)).toMatchObject([
    { endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }] },
  ]);
  await harness.patch(`${ENDPOINTS}/db`, {
    metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  });
  await harness.settle();
  expect(await harness.names(SLICES)).toEqual([]);
});

test('a deployment behind a service: a rolling update never leaves the slices empty', async () => {
  const harness = await open();
  await harness.make(SERVICES, 'web', WEB);
  const template = structAt(deploymentOf(), 'spec.template');
  const spec = { ...structAt(template, 'spec'), nodeName: 'node' };
  await harness.make(DEPLOYMENTS, 'web', deploymentOf({ template: { ...template, spec } }));
  await harness.settle();
  expect((await readyIn(harness)).length).toBe(3);
  await harness.patch(`${DEPLOYMENTS}/web`, {
    spec: { template: { spec: { ...spec, containers: [{ name: 'web', image: 'web:2' }] } } },
  });
  for (let turn = 0; turn < 20; turn++) {
    await harness.clock.pass(10);
    expect((await readyIn(harness)).length).toBeGreaterThan(0);
  }
  await harness.settle();
  expect((await readyIn(harness)).toSorted()).toEqual((await harness.namesIn(PODS)).toSorted());
});

test('a change of one pod lists the pods of its namespace once per controller', async () => {
  const harness = await open();
  for (let index = 0; index < 30; index++) await harness.make(SERVICES, `web-${index}`, WEB);
  await makePod(harness, 'one');
  await harness.settle();
  const list = vi.spyOn(harness.store, 'list');
  await harness.patch(`${PODS}/one`, { metadata: { labels: { app: 'other' } } });
  await harness.settle();
  const listed = list.mock.calls.filter(([prefix]) => prefix === prefixOf(pods, 'default'));
  // Two controllers, and the kubelet of the harness.
  expect(listed).toHaveLength(3);
  const slices = await harness.list(SLICES);
  expect(slices).toHaveLength(30);
  expect(slices.flatMap((slice) => objectsAt(slice, 'endpoints'))).toEqual([]);
  await harness.stop();
});
