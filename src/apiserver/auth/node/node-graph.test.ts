import { describe, expect, test } from 'vitest';

import { silentLog } from '../../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { openMemoryStore } from '../../store/memory-store.ts';
import { NodeGraph, type Kept } from './node-graph.ts';

function open(): { readonly store: ObjectStore; readonly graph: NodeGraph } {
  const store = openMemoryStore({ clock: new VirtualClock(), log: silentLog });
  return { store, graph: new NodeGraph(store) };
}

const put = (store: ObjectStore, key: string, value: JsonObject | null): Promise<number> =>
  store.commit([{ key, make: value && (() => value) }]);

const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, namespace: 'x', uid: name, ...metadata },
  spec,
});

const PODS = '/core/pods/x/';
const secret = { volumes: [{ name: 'v', secret: { secretName: 's' } }] };

describe('a pod gives its node access to', () => {
  test('everything that it refers to, and nothing else', async () => {
    const { store, graph } = open();
    const spec: JsonObject = {
      nodeName: 'n1',
      serviceAccountName: 'sa',
      imagePullSecrets: [{ name: 'pull' }],
      containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'cm-env' } } }] }],
      initContainers: [{ envFrom: [{ secretRef: { name: 'init' } }] }],
      volumes: [
        { name: 'a', secret: { secretName: 'vol' } },
        { name: 'b', projected: { sources: [{ secret: { name: 'proj' } }] } },
        { name: 'c', projected: { sources: [{ configMap: { name: 'cm-proj' } }] } },
        { name: 'd', persistentVolumeClaim: { claimName: 'claim' } },
        { name: 'e', ephemeral: {} },
        { name: 'f', csi: { nodePublishSecretRef: { name: 'csi' } } },
      ],
    };
    await put(store, `${PODS}p`, pod('p', spec));
    const named: readonly (readonly [Kept, string])[] = [
      ['pods', 'p'],
      ['serviceaccounts', 'sa'],
      ...['pull', 'init', 'vol', 'proj', 'csi'].map((name) => ['secrets', name] as const),
      ...['cm-env', 'cm-proj'].map((name) => ['configmaps', name] as const),
      ...['claim', 'p-e'].map((name) => ['persistentvolumeclaims', name] as const),
    ];
    for (const [kind, name] of named) {
      expect(graph.isRelated('n1', kind, 'x', name), name).toBe(true);
      expect(graph.isRelated('n2', kind, 'x', name), name).toBe(false);
      expect(graph.isRelated('n1', kind, 'y', name), name).toBe(false);
    }
    expect(graph.isRelated('n1', 'configmaps', 'x', 'vol')).toBe(false);
  });

  test('objects of another pod there, which stay when one of them goes', async () => {
    const { store, graph } = open();
    await put(store, `${PODS}a`, pod('a', { nodeName: 'n1', ...secret }));
    await put(store, `${PODS}b`, pod('b', { nodeName: 'n1', ...secret }));
    await put(store, `${PODS}a`, null);
    expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(true);
    await put(store, `${PODS}b`, null);
    expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(false);
  });

  test('nothing before it is bound, and more with a container that is added later', async () => {
    const { store, graph } = open();
    await put(store, `${PODS}a`, pod('a', secret));
    expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(false);
    await put(store, `${PODS}a`, pod('a', { nodeName: 'n1', ...secret }));
    expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(true);
    const ephemeralContainers = [{ envFrom: [{ secretRef: { name: 'later' } }] }];
    await put(store, `${PODS}a`, pod('a', { nodeName: 'n1', ...secret, ephemeralContainers }));
    expect(graph.isRelated('n1', 'secrets', 'x', 'later')).toBe(true);
  });

  test('only itself if it is a mirror pod, which the kubelet has made', async () => {
    const { store, graph } = open();
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    await put(store, `${PODS}a`, pod('a', { nodeName: 'n1', ...secret }, { annotations }));
    expect(graph.isRelated('n1', 'pods', 'x', 'a')).toBe(true);
    expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(false);
  });
});

test('a volume is attached to one node at a time', async () => {
  const { store, graph } = open();
  const attachment = (nodeName: string): JsonObject => ({
    metadata: { name: 'va' },
    spec: { nodeName },
  });
  const key = '/storage.k8s.io/volumeattachments/va';
  await put(store, key, attachment('n1'));
  expect(graph.isRelated('n1', 'volumeattachments', '', 'va')).toBe(true);
  await put(store, key, attachment('n2'));
  expect(graph.isRelated('n1', 'volumeattachments', '', 'va')).toBe(false);
});

test('objects from before the start are known, and nothing is followed after the end', async () => {
  const { store } = open();
  await put(store, `${PODS}a`, pod('a', { nodeName: 'n1', ...secret }));
  const graph = new NodeGraph(store);
  expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(true);
  graph.stop();
  await put(store, `${PODS}a`, null);
  expect(graph.isRelated('n1', 'secrets', 'x', 's')).toBe(true);
});
