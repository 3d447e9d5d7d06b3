/** Discovery, OpenAPI, namespaces and garbage with kinds of an aggregated API server. */
import { expect, test, vi } from 'vitest';
import { objectsAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import {
  AGGREGATED,
  AggregationHarness,
  apiService,
  API_SERVICES,
  GROUP,
  ROOT,
} from './aggregation-harness.ts';

const NAME = `v1.${GROUP}`;

async function aggregated(harness: AggregationHarness): Promise<JsonObject | undefined> {
  const { body } = await harness.get('/apis', 'admin', { accept: AGGREGATED });
  return objectsAt(body, 'items').find((one) => textAt(one, 'metadata.name') === GROUP);
}

test('discovery lists the group by its priority, in the old form and in the new', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.settle(NAME, 'Passed');
  const version = { groupVersion: `${GROUP}/v1`, version: 'v1' };
  const group = { name: GROUP, versions: [version], preferredVersion: version };
  const { body } = await harness.get('/apis');
  const groups = objectsAt(body, 'groups');
  expect(groups.at(-2)).toEqual(group);
  expect(groups[0]).toMatchObject({ name: 'apiregistration.k8s.io' });
  expect((await harness.get(`/apis/${GROUP}`)).body).toEqual({
    kind: 'APIGroup',
    apiVersion: 'v1',
    ...group,
  });
  expect(await aggregated(harness)).toEqual({
    metadata: { name: GROUP },
    versions: [
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'flunders',
            responseKind: { group: '', version: '', kind: 'Flunder' },
            scope: 'Namespaced',
            singularResource: 'flunder',
            verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'],
            shortNames: ['fl'],
            subresources: [
              {
                subresource: 'swim',
                responseKind: { group: '', version: '', kind: 'Swim' },
                verbs: ['get'],
              },
            ],
          },
        ],
      },
    ],
  });
});

test('the order and content of the other groups stay the same', async () => {
  const harness = await AggregationHarness.open();
  const read = async (accept?: string) =>
    (await harness.get('/apis', 'admin', accept === undefined ? {} : { accept })).body;
  const [old, now] = [await read(), await read(AGGREGATED)];
  await harness.register();
  const without = (list: JsonObject, at: string, name: string) =>
    objectsAt(list, at).filter((one) => textAt(one, name) !== GROUP);
  expect(without(await read(), 'groups', 'name')).toEqual(objectsAt(old, 'groups'));
  const items = without(await read(AGGREGATED), 'items', 'metadata.name');
  expect(items).toEqual(objectsAt(now, 'items'));
});

test('the own aggregated discovery of the other server counts, but only for its own version', async () => {
  const harness = await AggregationHarness.open();
  const resources = [{ resource: 'eels', scope: 'Cluster', verbs: ['list'], evil: '<script>' }];
  const items = [
    { metadata: { name: GROUP }, versions: [{ version: 'v1', resources }] },
    { metadata: { name: 'apps' }, versions: [{ version: 'v1', resources }] },
  ];
  harness.backend.handle = ({ url }, response) => {
    if (url !== '/apis') return false;
    response
      .writeHead(200, { 'content-type': AGGREGATED.split(',')[0] })
      .end(JSON.stringify({ items }));
    return true;
  };
  await harness.register();
  await harness.settle(NAME, 'Passed');
  expect(await aggregated(harness)).toMatchObject({
    versions: [{ freshness: 'Current', resources: [{ resource: 'eels', scope: 'Cluster' }] }],
  });
  const { text } = await harness.get('/apis', 'admin', { accept: AGGREGATED });
  expect(text).not.toContain('script');
  expect(text.match(/eels/g)).toHaveLength(1);
});

test('a server that is gone is stale in discovery, with what it last said', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.settle(NAME, 'Passed');
  await harness.admin('DELETE', '/api/v1/namespaces/default/services/wardle');
  await harness.settle(NAME, 'ServiceNotFound');
  expect(await aggregated(harness)).toMatchObject({
    versions: [{ freshness: 'Stale', resources: [{ resource: 'flunders' }] }],
  });
  await harness.admin('DELETE', `${API_SERVICES}/${NAME}`);
  expect(await aggregated(harness)).toBeUndefined();
  expect((await harness.get(ROOT)).code).toBe(404);
});

test('OpenAPI lists the document of the other server, which answers for it, and no other of its paths', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.settle(NAME, 'Passed');
  const { body } = await harness.get('/openapi/v3');
  const paths = body['paths'] as JsonObject;
  expect(paths[ROOT.slice(1)]).toEqual({ serverRelativeURL: `/openapi/v3${ROOT}?hash=X` });
  expect(JSON.stringify(paths['api/v1'])).not.toContain('hash=Y');
  expect((await harness.get(`/openapi/v3${ROOT}?hash=X`)).body).toEqual({ openapi: '3.0.0' });
});

test('a namespace that is deleted is emptied at the other server, too', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.settle(NAME, 'Passed');
  await harness.admin('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
  await harness.admin('DELETE', '/api/v1/namespaces/gone');
  await vi.waitFor(async () => {
    await harness.clock.pass(10);
    expect((await harness.get('/api/v1/namespaces/gone')).code).toBe(404);
  });
  expect(harness.backend.requests[0]).toMatchObject({
    method: 'DELETE',
    url: `${ROOT}/namespaces/gone/flunders`,
    headers: { 'x-remote-user': 'system:serviceaccount:kube-system:namespace-controller' },
  });
});

test('while the other server is not there, a namespace stays and says why; then it goes', async () => {
  const harness = await AggregationHarness.open();
  await harness.admin('POST', API_SERVICES, apiService());
  await harness.settle(NAME, 'ServiceNotFound');
  await harness.admin('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
  await harness.admin('DELETE', '/api/v1/namespaces/gone');
  await vi.waitFor(async () => {
    await harness.clock.pass(10);
    const { body } = await harness.get('/api/v1/namespaces/gone');
    expect(objectsAt(body, 'status.conditions')[0]).toMatchObject({
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'True',
      reason: 'DiscoveryFailed',
      message:
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of ' +
        `server APIs: ${GROUP}/v1: stale GroupVersion discovery: ${GROUP}/v1`,
    });
  });
  await harness.expose(harness.backend.port);
  await harness.settle(NAME, 'Passed');
  await vi.waitFor(async () => {
    await harness.clock.pass(10);
    expect((await harness.get('/api/v1/namespaces/gone')).code).toBe(404);
  });
});

test('an object whose owner is of an aggregated kind is not collected', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const maps = '/api/v1/namespaces/default/configmaps';
  const owner = { apiVersion: `${GROUP}/v1`, kind: 'Flunder', name: 'a', uid: 'u' };
  await harness.admin('POST', maps, { metadata: { name: 'x', ownerReferences: [owner] } });
  await harness.clock.pass(10_000);
  expect((await harness.get(`${maps}/x`)).code).toBe(200);
});
