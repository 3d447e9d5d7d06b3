import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { KubeRequest } from '../../ports/api/kube-api.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './config-annotations.ts';
import { isMirrorOf, MirrorClient } from './mirror-pods.ts';

const NODE = { metadata: { name: 'node1', uid: 'node-uid' } };
const { signal } = new AbortController();

function staticPod(hash = 'h1'): Pod {
  return {
    metadata: {
      name: 'web-node1',
      namespace: 'work',
      uid: hash,
      labels: { app: 'web' },
      annotations: { 'kubernetes.io/config.source': 'file', [CONFIG_HASH]: hash },
    },
    spec: { containers: [{ name: 'c' }], nodeName: 'node1' },
    status: { phase: 'Pending' },
  };
}

function mirrorOf(hash: string, more: Partial<Pod['metadata']> = {}): Pod {
  const { metadata, spec } = staticPod(hash);
  const annotations = { ...metadata.annotations, [CONFIG_MIRROR]: hash };
  return { metadata: { ...metadata, uid: 'mirror-uid', annotations, ...more }, spec };
}

type Answer = JsonObject | Error;

function harness(
  answers: Partial<Record<KubeRequest['method'], Answer>> = {},
  node: Answer = NODE,
) {
  const requests: KubeRequest[] = [];
  const client = new MirrorClient({
    api: {
      send: (request) => {
        requests.push(request);
        const answer = answers[request.method] ?? {};
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      watch: () => {
        throw new Error('nobody watches here');
      },
    },
    log: silentLog,
    nodeName: 'node1',
    getNode: () => (node instanceof Error ? Promise.reject(node) : Promise.resolve(node)),
  });
  return { client, requests, methods: () => requests.map(({ method }) => method) };
}

function refusal(statusCode: number, reason: string): ApiError {
  return new ApiError({ statusCode, reason, message: reason });
}

describe('the mirror of a static pod (KL-60)', () => {
  test('is made with its hash, and belongs to the node', async () => {
    const { client, requests } = harness();
    await client.reconcile(staticPod(), null, signal);
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/work/pods',
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name: 'web-node1',
            namespace: 'work',
            labels: { app: 'web' },
            annotations: {
              'kubernetes.io/config.source': 'file',
              [CONFIG_HASH]: 'h1',
              [CONFIG_MIRROR]: 'h1',
            },
            ownerReferences: [
              { apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'node-uid', controller: true },
            ],
          },
          spec: { containers: [{ name: 'c' }], nodeName: 'node1' },
        },
      },
    ]);
  });

  test('is left alone if it mirrors this very pod', async () => {
    const { client, methods } = harness();
    await client.reconcile(staticPod(), mirrorOf('h1'), signal);
    expect(methods()).toEqual([]);
  });

  test.each([
    ['shows what the pod was before', mirrorOf('h0')],
    ['is on its way out', mirrorOf('h1', { deletionTimestamp: '2030-01-02T03:04:05Z' })],
  ])('is replaced if it %s', async (_why, mirror) => {
    const { client, requests, methods } = harness();
    await client.reconcile(staticPod(), mirror, signal);
    expect(methods()).toEqual(['DELETE', 'POST']);
    expect(requests[0]).toMatchObject({
      path: '/api/v1/namespaces/work/pods/web-node1',
      body: { gracePeriodSeconds: 0, preconditions: { uid: 'mirror-uid' } },
    });
  });

  test.each([
    ['is gone', refusal(404, 'NotFound')],
    ['is another one by now', refusal(409, 'Conflict')],
    ['cannot be reached', new Error('no network')],
  ])('is not made while the old one %s: the watch will bring its end', async (_why, error) => {
    const { client, methods } = harness({ DELETE: error });
    await client.reconcile(staticPod(), mirrorOf('h0'), signal);
    expect(methods()).toEqual(['DELETE']);
  });

  test.each<[string, Answer]>([
    ['does not exist', refusal(404, 'NotFound')],
    ['is being deleted', { metadata: { uid: 'u', deletionTimestamp: '2030-01-02T03:04:05Z' } }],
    ['has no UID', { metadata: {} }],
  ])('is not made for a node that %s', async (_why, node) => {
    const { client, methods } = harness({}, node);
    await client.reconcile(staticPod(), null, signal);
    expect(methods()).toEqual([]);
  });

  test('of a pod from the API does not exist', async () => {
    const { client, methods } = harness();
    const { metadata, spec } = staticPod();
    const annotations = { 'kubernetes.io/config.source': 'api' };
    await client.reconcile({ metadata: { ...metadata, annotations }, spec }, null, signal);
    expect(methods()).toEqual([]);
  });

  test.each([
    ['with the same hash is what was wanted', 'h1', 0],
    ['with another hash is complained of', 'h0', 1],
  ])('that exists already %s', async (_what, hash, problems) => {
    const warnings: string[] = [];
    const { metadata, spec } = mirrorOf(hash);
    const existing = JSON.parse(JSON.stringify({ metadata, spec })) as JsonObject;
    const client = new MirrorClient({
      api: {
        send: ({ method }) =>
          method === 'GET'
            ? Promise.resolve(existing)
            : Promise.reject(refusal(409, 'AlreadyExists')),
        watch: () => {
          throw new Error('nobody watches here');
        },
      },
      log: { ...silentLog, warn: (message) => warnings.push(message) },
      nodeName: 'node1',
      getNode: () => Promise.resolve(NODE),
    });
    await client.reconcile(staticPod(), null, signal);
    expect(warnings).toHaveLength(problems);
  });

  test('that is an orphan is deleted by its name, whatever its UID', async () => {
    const { client, requests } = harness();
    expect(await client.delete({ namespace: 'work', name: 'web-node1' }, null, signal)).toBe(true);
    expect(requests[0]?.body).not.toHaveProperty('preconditions');
  });

  test('matches by name, namespace and hash', () => {
    expect(isMirrorOf(mirrorOf('h1'), staticPod('h1'))).toBe(true);
    expect(isMirrorOf(mirrorOf('h0'), staticPod('h1'))).toBe(false);
    expect(isMirrorOf(mirrorOf('h1', { name: 'other' }), staticPod('h1'))).toBe(false);
    expect(isMirrorOf(mirrorOf('h1', { namespace: 'other' }), staticPod('h1'))).toBe(false);
    expect(isMirrorOf(staticPod('h1'), staticPod('h1'))).toBe(false);
  });
});
