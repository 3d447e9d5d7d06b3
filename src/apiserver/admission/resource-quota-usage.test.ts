import { expect, test } from 'vitest';
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { configMaps } from '../kinds/core/config-map.ts';
import { deployments } from '../kinds/apps/deployment.ts';
import { persistentVolumeClaims } from '../kinds/storage/persistent-volume-claim.ts';
import { pods } from '../kinds/core/pods.ts';
import { services } from '../kinds/networking/service.ts';
import { countsUnder, missingDemand, usageOf } from './resource-quota-usage.ts';

const NOW_MS = Date.UTC(2030, 0, 1);

function usage(definition: KindDefinition, object: JsonObject, nowMs = NOW_MS): JsonObject {
  return Object.fromEntries(
    [...usageOf(definition, object, nowMs)].map(([name, amount]) => [name, formatQuantity(amount)]),
  );
}

const container = (name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});

test('a pod counts itself and its requests and limits, under all names that quotas have for them', () => {
  const spec = {
    containers: [
      container('a', { cpu: '100m', memory: '1Gi', 'example.com/gpu': '1' }, { cpu: '1' }),
      container('b', { cpu: '200m', 'hugepages-2Mi': '4Mi', 'ephemeral-storage': '1Gi' }),
    ],
  };
  expect(usage(pods, { spec })).toEqual({
    'count/pods': '1',
    pods: '1',
    cpu: '300m',
    'requests.cpu': '300m',
    'limits.cpu': '1',
    memory: '1Gi',
    'requests.memory': '1Gi',
    'requests.example.com/gpu': '1',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
    'ephemeral-storage': '1Gi',
    'requests.ephemeral-storage': '1Gi',
  });
});

test('a finished pod counts only as an object', () => {
  const spec = { containers: [container('a', { cpu: '1' })] };
  for (const phase of ['Succeeded', 'Failed']) {
    expect(usage(pods, { spec, status: { phase } })).toEqual({ 'count/pods': '1' });
  }
});

test('an overdue terminating pod no longer counts', () => {
  const metadata = { deletionTimestamp: '2030-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };
  const pod = { metadata, spec: { containers: [] } };
  expect(usage(pods, pod, NOW_MS + 60_000)).toHaveProperty('pods');
  expect(usage(pods, pod, NOW_MS + 60_001)).not.toHaveProperty('pods');
});

test.each<[JsonObject, string, string]>([
  [{ type: 'ClusterIP', ports: [{}] }, '0', '0'],
  [{ type: 'NodePort', ports: [{}, {}] }, '2', '0'],
  [{ type: 'LoadBalancer', ports: [{}, {}] }, '2', '1'],
  [
    {
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      ports: [{ nodePort: 30_000 }, {}],
    },
    '1',
    '1',
  ],
])('a service with %j', (spec, nodePorts, balancers) => {
  expect(usage(services, { spec })).toEqual({
    'count/services': '1',
    services: '1',
    'services.nodeports': nodePorts,
    'services.loadbalancers': balancers,
  });
});

test('a claim counts its request, or its allocation if that is more', () => {
  const spec = { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } };
  expect(usage(persistentVolumeClaims, { spec })).toEqual({
    'count/persistentvolumeclaims': '1',
    persistentvolumeclaims: '1',
    'requests.storage': '2',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'gold.storageclass.storage.k8s.io/requests.storage': '2',
  });
  const status = { allocatedResources: { storage: '3Gi' } };
  expect(usage(persistentVolumeClaims, { spec, status })).toMatchObject({
    'requests.storage': '3Gi',
  });
});

test('every object counts itself, and some under an old name as well', () => {
  expect(usage(deployments, {})).toEqual({ 'count/deployments.apps': '1' });
  expect(usage(configMaps, {})).toEqual({ 'count/configmaps': '1', configmaps: '1' });
});

test('a name is counted for the kinds that add to it', () => {
  const all = [pods, services, persistentVolumeClaims, configMaps, deployments];
  const counting = (name: string): readonly string[] =>
    all.filter((kind) => countsUnder(kind, name)).map(({ resource }) => resource);
  expect(counting('requests.cpu')).toEqual(['pods']);
  expect(counting('limits.memory')).toEqual(['pods']);
  expect(counting('requests.example.com/gpu')).toEqual(['pods']);
  expect(counting('hugepages-2Mi')).toEqual(['pods']);
  expect(counting('requests.storage')).toEqual(['persistentvolumeclaims']);
  expect(counting('a.storageclass.storage.k8s.io/requests.storage')).toEqual([
    'persistentvolumeclaims',
  ]);
  expect(counting('services.nodeports')).toEqual(['services']);
  expect(counting('configmaps')).toEqual(['configmaps']);
  expect(counting('count/deployments.apps')).toEqual(['deployments']);
  expect(counting('deployments')).toEqual([]);
  expect(counting('example.com/gpu')).toEqual([]);
});

test('only cpu and memory must be set, and not if the pod itself sets any resource', () => {
  const names = ['pods', 'cpu', 'requests.memory', 'requests.ephemeral-storage'];
  const spec = { containers: [container('b', {}), container('a', { cpu: '1' })] };
  expect(missingDemand({ spec }, names)).toBe('must specify cpu for: b; requests.memory for: a,b');
  const own = { ...spec, resources: { requests: { cpu: '1' } } };
  expect(missingDemand({ spec: own }, names)).toBeNull();
  expect(missingDemand({ spec }, ['pods'])).toBeNull();
});
