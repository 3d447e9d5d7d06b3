import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness, type Answer } from './controller-harness.ts';

const NAMESPACE = '/api/v1/namespaces/default';

async function openWith(...limits: readonly JsonObject[]): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers: [] });
  await harness.make(`${NAMESPACE}/limitranges`, 'range', { spec: { limits } });
  return harness;
}

function post(harness: ControllerHarness, spec: JsonObject): Promise<Answer> {
  return harness.send('POST', `${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec });
}

function container(name: string, requests: JsonObject = {}, limits: JsonObject = {}): JsonObject {
  return { name, image: 'nginx:1', resources: { requests, limits } };
}

test('a container without resources gets the defaults, and an annotation says which', async () => {
  const harness = await openWith({
    type: 'Container',
    default: { cpu: '500m', memory: '256Mi' },
    defaultRequest: { cpu: '100m', memory: '128Mi' },
  });
  const { code, body } = await post(harness, {
    containers: [container('a'), container('b', { cpu: '50m' })],
    initContainers: [container('i', {}, { cpu: '1', memory: '1Gi' })],
  });
  expect(code).toBe(201);
  expect(body).toMatchObject({
    metadata: {
      annotations: {
        'kubernetes.io/limit-ranger':
          'LimitRanger plugin set: cpu, memory request for container a; ' +
          'cpu, memory limit for container a; memory request for container b; ' +
          'cpu, memory limit for container b',
      },
    },
    spec: {
      containers: [
        {
          resources: {
            limits: { cpu: '500m', memory: '256Mi' },
            requests: { cpu: '100m', memory: '128Mi' },
          },
        },
        { resources: { limits: { cpu: '500m' }, requests: { cpu: '50m', memory: '128Mi' } } },
      ],
      initContainers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }],
    },
    status: { qosClass: 'Burstable' },
  });
});

test('a pod without applied defaults gets no annotation', async () => {
  const harness = await openWith({ type: 'Container', max: { memory: '1Gi' } });
  const { body } = await post(harness, { containers: [container('a', {}, { memory: '1Gi' })] });
  expect(body.metadata).not.toHaveProperty('annotations');
});

test.each<[string, JsonObject, JsonObject, string]>([
  [
    'no request',
    { type: 'Pod', min: { cpu: '100m' } },
    container('a'),
    'minimum cpu usage per Pod is 100m.  No request is specified',
  ],
  [
    'a small request',
    { type: 'Container', min: { cpu: '100m' } },
    container('a', { cpu: '50m' }),
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [
    'a large limit',
    { type: 'Container', max: { memory: '1Gi' } },
    container('a', {}, { memory: '2Gi' }),
    'maximum memory usage per Container is 1Gi, but limit is 2Gi',
  ],
  [
    'no limit for the pod',
    { type: 'Pod', max: { memory: '1Gi' } },
    container('a', { memory: '1Mi' }),
    'maximum memory usage per Pod is 1Gi.  No limit is specified',
  ],
  [
    'a large ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    container('a', { cpu: '100m' }, { cpu: '250m' }),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000',
  ],
  [
    'no ratio',
    { type: 'Pod', maxLimitRequestRatio: { cpu: '2' } },
    container('a', { cpu: '100m' }),
    'cpu max limit to request ratio per Pod is 2, but no limit is specified or limit is 0',
  ],
])('%s is refused', async (_, limit, one, why) => {
  const harness = await openWith(limit);
  const { code, body } = await post(harness, { containers: [one] });
  expect(code).toBe(403);
  expect(body['message']).toBe(`pods "p" is forbidden: ${why}`);
});

test('several errors are reported together', async () => {
  const harness = await openWith({ type: 'Pod', min: { cpu: '1', memory: '1Gi' } });
  const { body } = await post(harness, { containers: [container('a')] });
  expect(body['message']).toBe(
    'pods "p" is forbidden: [minimum cpu usage per Pod is 1.  No request is specified, ' +
      'minimum memory usage per Pod is 1Gi.  No request is specified]',
  );
});

test('the resources of a pod are those of its containers added up', async () => {
  const harness = await openWith({ type: 'Pod', max: { cpu: '1' } });
  const half = { cpu: '600m' };
  const containers = [container('a', half, half), container('b', half, half)];
  const { body } = await post(harness, { containers });
  expect(body['message']).toBe(
    'pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m',
  );
});

test('claims are kept within their bounds, even when they grow', async () => {
  const limit = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } };
  const harness = await openWith(limit);
  const claim = (storage: string): JsonObject => ({
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });
  const path = `${NAMESPACE}/persistentvolumeclaims`;
  expect((await harness.send('POST', path, claim('500Mi'))).body['message']).toBe(
    'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, ' +
      'but request is 500Mi',
  );
  expect((await harness.send('POST', path, claim('6Gi'))).body['message']).toBe(
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, ' +
      'but request is 6Gi',
  );
  expect((await harness.send('POST', path, claim('2Gi'))).code).toBe(201);
});

test('validation errors come before those of limits', async () => {
  const harness = await openWith({ type: 'Container', max: { cpu: '1' } });
  const { code } = await post(harness, { containers: [container('Bad_Name', {}, { cpu: '9' })] });
  expect(code).toBe(422);
});
