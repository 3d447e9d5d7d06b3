import { expect, test } from 'vitest';
import { createApiClient } from '../../../src/client/api-client.ts';
import { ClientHarness } from './client-harness.ts';

const POD = { namespace: 'default', name: 'web' };
const { signal } = new AbortController();

async function open() {
  const harness = await ClientHarness.open();
  const pod = await harness.createPod('web');
  const { uid } = pod['metadata'] as { readonly uid: string };
  return { harness, uid, client: createApiClient(harness.api) };
}

test('a status is patched, and the answer is the new pod', async () => {
  const { client, uid } = await open();
  const condition = { type: 'Ready', status: 'True' };
  const patch = { metadata: { uid }, status: { phase: 'Running', conditions: [condition] } };
  const patched = await client.patchPodStatus(POD, patch, signal);
  expect(patched.status).toMatchObject({ phase: 'Running', conditions: [condition] });
  expect(await client.getPod(POD, signal)).toEqual(patched);
});

test('a patch for another pod of the same name is refused with the cause (SM-74)', async () => {
  const { client } = await open();
  const patch = { metadata: { uid: 'another' }, status: { phase: 'Running' } };
  await expect(client.patchPodStatus(POD, patch, signal)).rejects.toMatchObject({
    statusCode: 422,
    reason: 'Invalid',
    causes: expect.arrayContaining([expect.objectContaining({ field: 'metadata.uid' })]),
  });
});

test('a missing pod is NotFound', async () => {
  const { client } = await open();
  await expect(client.getPod({ ...POD, name: 'db' }, signal)).rejects.toMatchObject({
    statusCode: 404,
    reason: 'NotFound',
    message: 'pods "db" not found',
    retry: 'never',
  });
});

test('only the pod with this UID is deleted (SM-79)', async () => {
  const { client, uid } = await open();
  const now = { gracePeriodSeconds: 0 };
  await expect(client.deletePod(POD, { ...now, uid: 'another' }, signal)).rejects.toMatchObject({
    statusCode: 409,
    reason: 'Conflict',
  });
  await client.deletePod(POD, { ...now, uid }, signal);
  await expect(client.getPod(POD, signal)).rejects.toMatchObject({ statusCode: 404 });
});
