import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness, type Answer } from './controller-harness.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const PODS = `${NAMESPACE}/pods`;

async function openWith(hard: JsonObject, spec: JsonObject = {}): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers: ['resource-quota'] });
  await harness.make(`${NAMESPACE}/resourcequotas`, 'q', { spec: { hard, ...spec } });
  await harness.settle();
  return harness;
}

async function usedOf(harness: ControllerHarness): Promise<unknown> {
  const { body } = await harness.get(`${NAMESPACE}/resourcequotas/q`);
  return (body['status'] as JsonObject)['used'];
}

function postPod(
  harness: ControllerHarness,
  name: string,
  fields: JsonObject = {},
): Promise<Answer> {
  const spec = { containers: [{ name: 'c', image: 'nginx:1' }], ...fields };
  return harness.send('POST', PODS, { metadata: { name }, spec });
}

function asking(requests: JsonObject, limits: JsonObject = {}): JsonObject {
  return { containers: [{ name: 'c', image: 'nginx:1', resources: { requests, limits } }] };
}

test('a new quota counts existing objects', async () => {
  const harness = await ControllerHarness.open({ controllers: ['resource-quota'] });
  await postPod(harness, 'a', asking({ cpu: '500m', memory: '1Gi' }));
  await harness.make(`${NAMESPACE}/configmaps`, 'm');
  const hard = {
    pods: '5',
    'requests.cpu': '2',
    cpu: '2',
    'requests.memory': '4Gi',
    'count/configmaps': '9',
    configmaps: '9',
    'count/deployments.apps': '3',
    'services.nodeports': '1',
  };
  await harness.make(`${NAMESPACE}/resourcequotas`, 'q', { spec: { hard } });
  await harness.settle();
  expect((await harness.get(`${NAMESPACE}/resourcequotas/q`)).body['status']).toEqual({
    hard,
    used: {
      pods: '1',
      'requests.cpu': '500m',
      cpu: '500m',
      'requests.memory': '1Gi',
      'count/configmaps': '1',
      configmaps: '1',
      'count/deployments.apps': '0',
      'services.nodeports': '0',
    },
  });
});

test('one too many is refused, with kube-apiserver’s message', async () => {
  const harness = await openWith({ pods: '2' });
  await postPod(harness, 'a');
  await postPod(harness, 'b');
  const { code, body } = await postPod(harness, 'c');
  expect(code).toBe(403);
  expect(body['message']).toBe(
    'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
  );
  expect(await usedOf(harness)).toEqual({ pods: '2' });
});

test('only exceeded resources are reported', async () => {
  const harness = await openWith({ pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' });
  const spec = asking({ cpu: '1500m' }, { memory: '2Gi' });
  const { body } = await postPod(harness, 'a', spec);
  expect(body['message']).toBe(
    'pods "a" is forbidden: exceeded quota: q, requested: limits.memory=2Gi,requests.cpu=1500m, ' +
      'used: limits.memory=0,requests.cpu=0, limited: limits.memory=1Gi,requests.cpu=1',
  );
});

test('a pod under a cpu or memory quota must specify them', async () => {
  const harness = await openWith({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
  const containers = [
    { name: 'b', image: 'nginx:1' },
    { name: 'a', image: 'nginx:1', resources: { requests: { cpu: '1m' } } },
  ];
  const { code, body } = await postPod(harness, 'p', { containers });
  expect(code).toBe(403);
  expect(body['message']).toBe(
    'pods "p" is forbidden: failed quota: q: must specify limits.memory for: a,b; requests.cpu for: b',
  );
});

test('concurrent creates never exceed the quota, and status.used is exact', async () => {
  const harness = await openWith({ pods: '120' });
  const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
  const codes = (await Promise.all(names.map((name) => postPod(harness, name)))).map(
    ({ code }) => code,
  );
  expect(codes.filter((code) => code === 201)).toHaveLength(120);
  expect(codes.filter((code) => code === 403)).toHaveLength(30);
  expect(await usedOf(harness)).toEqual({ pods: '120' });
});

test('usage is released when an object is deleted, or a pod ends', async () => {
  const harness = await openWith({ pods: '2', 'count/pods': '2', 'requests.cpu': '1' });
  await postPod(harness, 'a', asking({ cpu: '500m' }));
  await postPod(harness, 'b', asking({ cpu: '500m' }));
  await harness.patch(`${PODS}/a/status`, { status: { phase: 'Succeeded' } });
  expect(await usedOf(harness)).toEqual({ pods: '1', 'count/pods': '2', 'requests.cpu': '500m' });
  await harness.remove(`${PODS}/a?gracePeriodSeconds=0`);
  await harness.remove(`${PODS}/b?gracePeriodSeconds=0`);
  expect(await usedOf(harness)).toEqual({ pods: '0', 'count/pods': '0', 'requests.cpu': '0' });
});

test('a dry run costs nothing, and is refused all the same', async () => {
  const harness = await openWith({ configmaps: '1' });
  const dry = (name: string): Promise<Answer> =>
    harness.send('POST', `${NAMESPACE}/configmaps?dryRun=All`, { metadata: { name } });
  expect((await dry('a')).code).toBe(201);
  expect(await usedOf(harness)).toEqual({ configmaps: '0' });
  await harness.make(`${NAMESPACE}/configmaps`, 'b');
  expect((await dry('c')).code).toBe(403);
});

test('a quota that changes is counted again', async () => {
  const harness = await openWith({ pods: '1' });
  await postPod(harness, 'a', asking({ cpu: '200m' }));
  await harness.patch(`${NAMESPACE}/resourcequotas/q`, {
    spec: { hard: { pods: null, 'requests.cpu': '1' } },
  });
  await harness.settle();
  expect(await usedOf(harness)).toEqual({ 'requests.cpu': '200m' });
});

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ['BestEffort', { scopes: ['BestEffort'] }, {}, asking({ cpu: '1m' })],
  ['NotBestEffort', { scopes: ['NotBestEffort'] }, asking({ cpu: '1m' }), {}],
  ['Terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 9 }, {}],
  ['NotTerminating', { scopes: ['NotTerminating'] }, {}, { activeDeadlineSeconds: 9 }],
  [
    'PriorityClass',
    {
      scopeSelector: {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      },
    },
    { priorityClassName: 'high' },
    {},
  ],
])('the scope %s counts some and leaves out others', async (_, scope, inside, outside) => {
  const harness = await openWith({ pods: '1' }, scope);
  await harness.make('/apis/scheduling.k8s.io/v1/priorityclasses', 'high', { value: 9 });
  expect((await postPod(harness, 'a', inside)).code).toBe(201);
  expect((await postPod(harness, 'b', inside)).code).toBe(403);
  expect((await postPod(harness, 'c', outside)).code).toBe(201);
  expect(await usedOf(harness)).toEqual({ pods: '1' });
});

test('services count by their type and ports', async () => {
  const harness = await openWith({
    services: '3',
    'services.nodeports': '2',
    'services.loadbalancers': '0',
  });
  const post = (name: string, type: string): Promise<Answer> =>
    harness.send('POST', `${NAMESPACE}/services`, {
      metadata: { name },
      spec: { type, ports: [{ port: 80 }] },
    });
  await post('a', 'NodePort');
  await post('b', 'ClusterIP');
  expect((await post('c', 'LoadBalancer')).body['message']).toBe(
    'services "c" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, ' +
      'used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
  expect(await usedOf(harness)).toMatchObject({ services: '2', 'services.nodeports': '1' });
  await harness.patch(`${NAMESPACE}/services/b`, { spec: { type: 'NodePort' } });
  expect(await usedOf(harness)).toMatchObject({ 'services.nodeports': '2' });
  await harness.patch(`${NAMESPACE}/services/b`, { spec: { type: 'ClusterIP' } });
  expect(await usedOf(harness)).toMatchObject({ 'services.nodeports': '1' });
});

test('claims count by number, storage and class', async () => {
  const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
  const harness = await openWith({ 'requests.storage': '10Gi', [gold]: '3Gi' });
  const post = (name: string, storage: string, storageClassName: string): Promise<Answer> =>
    harness.send('POST', `${NAMESPACE}/persistentvolumeclaims`, {
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName,
        resources: { requests: { storage } },
      },
    });
  expect((await post('a', '2Gi', 'gold')).code).toBe(201);
  expect((await post('b', '2Gi', 'gold')).body['message']).toContain(
    `exceeded quota: q, requested: ${gold}=2Gi, used: ${gold}=2Gi, limited: ${gold}=3Gi`,
  );
  expect((await post('c', '2Gi', 'slow')).code).toBe(201);
  expect(await usedOf(harness)).toEqual({ 'requests.storage': '4Gi', [gold]: '2Gi' });
});

test('a quota whose status was removed is counted again', async () => {
  const harness = await openWith({ pods: '2' });
  await postPod(harness, 'a');
  await harness.patch(`${NAMESPACE}/resourcequotas/q/status`, { status: { used: null } });
  await harness.settle();
  expect(await usedOf(harness)).toEqual({ pods: '1' });
});

test('a pod past its grace period does not count, and is not released twice', async () => {
  const harness = await openWith({ pods: '2', 'count/pods': '9' });
  await postPod(harness, 'stuck', { nodeName: 'n1' });
  await postPod(harness, 'other', { nodeName: 'n1' });
  await harness.remove(`${PODS}/stuck`);
  await harness.settle(60_000);
  expect(await usedOf(harness)).toEqual({ pods: '2', 'count/pods': '2' });
  await harness.settle(10);
  expect(await usedOf(harness)).toEqual({ pods: '1', 'count/pods': '2' });
  await harness.remove(`${PODS}/stuck?gracePeriodSeconds=0`);
  await harness.settle();
  expect(await usedOf(harness)).toEqual({ pods: '1', 'count/pods': '1' });
});

test('a dry run of an update is refused where the update would be', async () => {
  const harness = await openWith({ 'services.nodeports': '0' });
  const services = `${NAMESPACE}/services`;
  await harness.make(services, 's', { spec: { ports: [{ port: 80 }] } });
  const { body: service } = await harness.get(`${services}/s`);
  const changed = { ...service, spec: { ...(service['spec'] as JsonObject), type: 'NodePort' } };
  for (const target of [`${services}/s?dryRun=All`, `${services}/s`]) {
    const { code, body } = await harness.send('PUT', target, changed);
    expect([code, body['message']]).toEqual([
      403,
      expect.stringContaining('exceeded quota: q, requested: services.nodeports=1'),
    ]);
  }
  expect(await usedOf(harness)).toEqual({ 'services.nodeports': '0' });
});
