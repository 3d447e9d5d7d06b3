import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerStage, type Answer } from './stage.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const PODS = `${NAMESPACE}/pods`;

async function openWith(hard: JsonObject, spec: JsonObject = {}): Promise<ControllerStage> {
  const stage = await ControllerStage.open({ controllers: ['resource-quota'] });
  await stage.make(`${NAMESPACE}/resourcequotas`, 'q', { spec: { hard, ...spec } });
  await stage.settle();
  return stage;
}

async function usedOf(stage: ControllerStage): Promise<unknown> {
  const { body } = await stage.get(`${NAMESPACE}/resourcequotas/q`);
  return (body['status'] as JsonObject)['used'];
}

function postPod(stage: ControllerStage, name: string, fields: JsonObject = {}): Promise<Answer> {
  const spec = { containers: [{ name: 'c', image: 'nginx:1' }], ...fields };
  return stage.send('POST', PODS, { metadata: { name }, spec });
}

function asking(requests: JsonObject, limits: JsonObject = {}): JsonObject {
  return { containers: [{ name: 'c', image: 'nginx:1', resources: { requests, limits } }] };
}

test('a new quota counts what is there', async () => {
  const stage = await ControllerStage.open({ controllers: ['resource-quota'] });
  await postPod(stage, 'a', asking({ cpu: '500m', memory: '1Gi' }));
  await stage.make(`${NAMESPACE}/configmaps`, 'm');
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
  await stage.make(`${NAMESPACE}/resourcequotas`, 'q', { spec: { hard } });
  await stage.settle();
  expect((await stage.get(`${NAMESPACE}/resourcequotas/q`)).body['status']).toEqual({
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

test('one too many is refused, in the words that tools know', async () => {
  const stage = await openWith({ pods: '2' });
  await postPod(stage, 'a');
  await postPod(stage, 'b');
  const { code, body } = await postPod(stage, 'c');
  expect(code).toBe(403);
  expect(body['message']).toBe(
    'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
  );
  expect(await usedOf(stage)).toEqual({ pods: '2' });
});

test('only what is exceeded is told', async () => {
  const stage = await openWith({ pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' });
  const spec = asking({ cpu: '1500m' }, { memory: '2Gi' });
  const { body } = await postPod(stage, 'a', spec);
  expect(body['message']).toBe(
    'pods "a" is forbidden: exceeded quota: q, requested: limits.memory=2Gi,requests.cpu=1500m, ' +
      'used: limits.memory=0,requests.cpu=0, limited: limits.memory=1Gi,requests.cpu=1',
  );
});

test('who is counted by cpu and memory must say how much', async () => {
  const stage = await openWith({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
  const containers = [
    { name: 'b', image: 'nginx:1' },
    { name: 'a', image: 'nginx:1', resources: { requests: { cpu: '1m' } } },
  ];
  const { code, body } = await postPod(stage, 'p', { containers });
  expect(code).toBe(403);
  expect(body['message']).toBe(
    'pods "p" is forbidden: failed quota: q: must specify limits.memory for: a,b; requests.cpu for: b',
  );
});

test('many at once take no more than there is, and the account is exact', async () => {
  const stage = await openWith({ pods: '120' });
  const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
  const codes = (await Promise.all(names.map((name) => postPod(stage, name)))).map(
    ({ code }) => code,
  );
  expect(codes.filter((code) => code === 201)).toHaveLength(120);
  expect(codes.filter((code) => code === 403)).toHaveLength(30);
  expect(await usedOf(stage)).toEqual({ pods: '120' });
});

test('what goes, or ends, is given back', async () => {
  const stage = await openWith({ pods: '2', 'count/pods': '2', 'requests.cpu': '1' });
  await postPod(stage, 'a', asking({ cpu: '500m' }));
  await postPod(stage, 'b', asking({ cpu: '500m' }));
  await stage.patch(`${PODS}/a/status`, { status: { phase: 'Succeeded' } });
  expect(await usedOf(stage)).toEqual({ pods: '1', 'count/pods': '2', 'requests.cpu': '500m' });
  await stage.remove(`${PODS}/a?gracePeriodSeconds=0`);
  await stage.remove(`${PODS}/b?gracePeriodSeconds=0`);
  expect(await usedOf(stage)).toEqual({ pods: '0', 'count/pods': '0', 'requests.cpu': '0' });
});

test('a dry run costs nothing, and is refused all the same', async () => {
  const stage = await openWith({ configmaps: '1' });
  const dry = (name: string): Promise<Answer> =>
    stage.send('POST', `${NAMESPACE}/configmaps?dryRun=All`, { metadata: { name } });
  expect((await dry('a')).code).toBe(201);
  expect(await usedOf(stage)).toEqual({ configmaps: '0' });
  await stage.make(`${NAMESPACE}/configmaps`, 'b');
  expect((await dry('c')).code).toBe(403);
});

test('a quota that changes is counted anew', async () => {
  const stage = await openWith({ pods: '1' });
  await postPod(stage, 'a', asking({ cpu: '200m' }));
  await stage.patch(`${NAMESPACE}/resourcequotas/q`, {
    spec: { hard: { pods: null, 'requests.cpu': '1' } },
  });
  await stage.settle();
  expect(await usedOf(stage)).toEqual({ 'requests.cpu': '200m' });
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
  const stage = await openWith({ pods: '1' }, scope);
  await stage.make('/apis/scheduling.k8s.io/v1/priorityclasses', 'high', { value: 9 });
  expect((await postPod(stage, 'a', inside)).code).toBe(201);
  expect((await postPod(stage, 'b', inside)).code).toBe(403);
  expect((await postPod(stage, 'c', outside)).code).toBe(201);
  expect(await usedOf(stage)).toEqual({ pods: '1' });
});

test('services count by what they take', async () => {
  const stage = await openWith({
    services: '3',
    'services.nodeports': '2',
    'services.loadbalancers': '0',
  });
  const post = (name: string, type: string): Promise<Answer> =>
    stage.send('POST', `${NAMESPACE}/services`, {
      metadata: { name },
      spec: { type, ports: [{ port: 80 }] },
    });
  await post('a', 'NodePort');
  await post('b', 'ClusterIP');
  expect((await post('c', 'LoadBalancer')).body['message']).toBe(
    'services "c" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, ' +
      'used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
  expect(await usedOf(stage)).toMatchObject({ services: '2', 'services.nodeports': '1' });
  await stage.patch(`${NAMESPACE}/services/b`, { spec: { type: 'NodePort' } });
  expect(await usedOf(stage)).toMatchObject({ 'services.nodeports': '2' });
  await stage.patch(`${NAMESPACE}/services/b`, { spec: { type: 'ClusterIP' } });
  expect(await usedOf(stage)).toMatchObject({ 'services.nodeports': '1' });
});

test('claims count by number, storage and class', async () => {
  const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
  const stage = await openWith({ 'requests.storage': '10Gi', [gold]: '3Gi' });
  const post = (name: string, storage: string, storageClassName: string): Promise<Answer> =>
    stage.send('POST', `${NAMESPACE}/persistentvolumeclaims`, {
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
  expect(await usedOf(stage)).toEqual({ 'requests.storage': '4Gi', [gold]: '2Gi' });
});

test('a quota whose numbers somebody took away is counted again', async () => {
  const stage = await openWith({ pods: '2' });
  await postPod(stage, 'a');
  await stage.patch(`${NAMESPACE}/resourcequotas/q/status`, { status: { used: null } });
  await stage.settle();
  expect(await usedOf(stage)).toEqual({ pods: '1' });
});

test('a pod that should long be gone does not count, and is not given back twice', async () => {
  const stage = await openWith({ pods: '2', 'count/pods': '9' });
  await postPod(stage, 'stuck', { nodeName: 'n1' });
  await postPod(stage, 'other', { nodeName: 'n1' });
  await stage.remove(`${PODS}/stuck`);
  await stage.settle(60_000);
  expect(await usedOf(stage)).toEqual({ pods: '2', 'count/pods': '2' });
  await stage.settle(10);
  expect(await usedOf(stage)).toEqual({ pods: '1', 'count/pods': '2' });
  await stage.remove(`${PODS}/stuck?gracePeriodSeconds=0`);
  await stage.settle();
  expect(await usedOf(stage)).toEqual({ pods: '1', 'count/pods': '1' });
});
