/** RuntimeClass, DefaultStorageClass, DefaultIngressClass and PodTopologyLabels, through the API. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ApiHarness, type Answer } from '../api-harness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const RUNTIME_CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';

async function openWithAccount(): Promise<ApiHarness> {
  const harness = await ApiHarness.open();
  const account = { metadata: { name: 'default' }, automountServiceAccountToken: false };
  await harness.send('POST', '/api/v1/namespaces/default/serviceaccounts', account);
  return harness;
}

function createPod(harness: ApiHarness, spec: JsonObject, labels?: JsonObject): Promise<Answer> {
  const containers = [{ name: 'c', image: 'x' }];
  const metadata = { name: 'p', ...(labels && { labels }) };
  return harness.send('POST', PODS, { metadata, spec: { containers, ...spec } });
}

async function refusalOf(harness: ApiHarness, spec: JsonObject): Promise<unknown> {
  const { code, body } = await createPod(harness, spec);
  return [code, body['message']];
}

const DIFFERS =
  "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

describe('the runtime class of a new pod', () => {
  test('must exist', async () => {
    const harness = await openWithAccount();
    expect(await refusalOf(harness, { runtimeClassName: 'x' })).toEqual([
      403,
      'pods "p" is forbidden: pod rejected: RuntimeClass "x" not found',
    ]);
  });

  test('gives it an overhead, which it may repeat in other words and not change', async () => {
    const harness = await openWithAccount();
    const overhead = { podFixed: { cpu: '500m', memory: '1Mi' } };
    const made = { metadata: { name: 'x' }, handler: 'x', overhead };
    const { code, warnings } = await harness.send('POST', RUNTIME_CLASSES, made);
    expect([code, warnings]).toEqual([201, null]);
    const runtimeClassName = 'x';
    for (const wrong of [{ cpu: '1' }, { cpu: '0.5', memory: '2Mi' }]) {
      const refusal = await refusalOf(harness, { runtimeClassName, overhead: wrong });
      expect(refusal).toEqual([403, DIFFERS]);
    }
    const same = { cpu: '0.5', memory: '1024Ki' };
    const { body } = await createPod(harness, { runtimeClassName, overhead: same });
    expect(body['spec']).toMatchObject({ overhead: { cpu: '500m', memory: '1Mi' } });
  });

  test('is needed for an overhead', async () => {
    const harness = await openWithAccount();
    await harness.send('POST', RUNTIME_CLASSES, { metadata: { name: 'x' }, handler: 'x' });
    const message =
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
    const overhead = { cpu: '1' };
    expect(await refusalOf(harness, { overhead })).toEqual([403, message]);
    expect(await refusalOf(harness, { overhead, runtimeClassName: 'x' })).toEqual([403, message]);
  });

  test('adds its node selector and tolerations, and a selector that differs is refused', async () => {
    const harness = await openWithAccount();
    const toleration = { key: 'vm', operator: 'Exists', effect: 'NoSchedule' };
    const scheduling = { nodeSelector: { vm: 'yes' }, tolerations: [toleration] };
    await harness.send('POST', RUNTIME_CLASSES, {
      metadata: { name: 'x' },
      handler: 'x',
      scheduling,
    });
    const runtimeClassName = 'x';
    const refusal = await refusalOf(harness, { runtimeClassName, nodeSelector: { vm: 'no' } });
    expect(refusal).toEqual([
      403,
      'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    ]);
    const { body } = await createPod(harness, { runtimeClassName, nodeSelector: { a: 'b' } });
    const { tolerations, nodeSelector } = body['spec'] as JsonObject;
    expect(nodeSelector).toEqual({ a: 'b', vm: 'yes' });
    expect(tolerations).toContainEqual(toleration);
    expect(tolerations).toHaveLength(3);
  });
});

describe('the default class', () => {
  const isDefault = (group: string): JsonObject => ({
    [`${group}.kubernetes.io/is-default-class`]: 'true',
  });

  test('of storage is for claims that name none; an empty name counts', async () => {
    const harness = await ApiHarness.open();
    const claim = async (name: string, more: JsonObject, annotations: JsonObject = {}) => {
      const resources = { requests: { storage: '1Gi' } };
      const { body } = await harness.send('POST', CLAIMS, {
        metadata: { name, annotations },
        spec: { accessModes: ['ReadWriteOnce'], resources, ...more },
      });
      return (body['spec'] as JsonObject)['storageClassName'];
    };
    expect(await claim('before', {})).toBeUndefined();
    const provisioner = 'a/b';
    const annotations = isDefault('storageclass');
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    await harness.send('POST', classes, { metadata: { name: 'fast', annotations }, provisioner });
    expect(await claim('a', {})).toBe('fast');
    expect(await claim('b', { storageClassName: '' })).toBe('');
    expect(await claim('c', { storageClassName: 'slow' })).toBe('slow');
    const older = { 'volume.beta.kubernetes.io/storage-class': 'old' };
    expect(await claim('d', {}, older)).toBeUndefined();
  });

  test('of ingresses is for those that name none in either way', async () => {
    const harness = await ApiHarness.open();
    const annotations = isDefault('ingressclass');
    await harness.send('POST', '/apis/networking.k8s.io/v1/ingressclasses', {
      metadata: { name: 'front', annotations },
      spec: { controller: 'example.com/front' },
    });
    const ingress = async (name: string, more: JsonObject) => {
      const service = { name: 's', port: { number: 80 } };
      const { body } = await harness.send(
        'POST',
        '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
        { metadata: { name, annotations: more }, spec: { defaultBackend: { service } } },
      );
      return (body['spec'] as JsonObject)['ingressClassName'];
    };
    expect(await ingress('a', {})).toBe('front');
    expect(await ingress('b', { 'kubernetes.io/ingress.class': 'other' })).toBeUndefined();
  });
});

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

describe('the zone and region of a node', () => {
  const topology = {
    'topology.kubernetes.io/region': 'r',
    'topology.kubernetes.io/zone': 'z',
  };

  test('become labels of a pod that is created on it, whatever the pod says', async () => {
    const harness = await openWithAccount();
    const labels = { ...topology, 'kubernetes.io/hostname': 'n' };
    await harness.send('POST', '/api/v1/nodes', { metadata: { name: 'n', labels } });
    const own = { app: 'a', 'topology.kubernetes.io/zone': 'elsewhere' };
    const { body } = await createPod(harness, { nodeName: 'n' }, own);
    expect(body.metadata['labels']).toEqual({ app: 'a', ...topology });
  });

  test('become labels of a pod that is bound to it', async () => {
    const harness = await openWithAccount();
    await harness.send('POST', '/api/v1/nodes', { metadata: { name: 'n', labels: topology } });
    expect((await createPod(harness, {})).body.metadata['labels']).toBeUndefined();
    const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    expect((await harness.send('POST', `${PODS}/p/binding`, binding)).code).toBe(201);
    const { body } = await harness.send('GET', `${PODS}/p`);
    expect(body.metadata['labels']).toEqual(topology);
  });
});
