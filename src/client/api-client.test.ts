import { expect, test } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import type { KubeRequest } from '../ports/api/kube-api.ts';
import { createApiClient } from './api-client.ts';

const { signal } = new AbortController();
const POD = { namespace: 'default', name: 'web' };

function harness(answer: JsonObject = { metadata: { name: 'web' }, spec: { containers: [] } }) {
  const requests: KubeRequest[] = [];
  const client = createApiClient({
    send: (request) => {
      requests.push(request);
      return Promise.resolve(answer);
    },
    watch: () => {
      throw new Error('nobody watches here');
    },
  });
  return { client, requests };
}

test('a pod is read by its name', async () => {
  const { client, requests } = harness();
  expect(await client.getPod(POD, signal)).toMatchObject({ metadata: { name: 'web' } });
  expect(requests).toEqual([{ method: 'GET', path: '/api/v1/namespaces/default/pods/web' }]);
});

test('a status is patched strategically, as the kubelet does (SM-73)', async () => {
  const { client, requests } = harness();
  await client.patchPodStatus(POD, { status: { phase: 'Running' } }, signal);
  expect(requests).toEqual([
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/default/pods/web/status',
      body: { status: { phase: 'Running' } },
      contentType: 'application/strategic-merge-patch+json',
    },
  ]);
});

test('a pod is deleted only if its UID matches (SM-79)', async () => {
  const { client, requests } = harness({ kind: 'Status' });
  await client.deletePod(POD, { uid: 'u1', gracePeriodSeconds: 0 }, signal);
  expect(requests[0]?.body).toEqual({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u1' },
  });
});

test('a response that is not a pod is an error', async () => {
  const { client } = harness({ kind: 'Status' });
  await expect(client.getPod(POD, signal)).rejects.toMatchObject({ code: 'API_ANSWER_BROKEN' });
});
