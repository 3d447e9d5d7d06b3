/** APIServices: those that the server keeps for its own versions, and whether others are available. */
import { expect, test, vi } from 'vitest';
import { objectsAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { refusingPort } from '../../support/loopback.ts';
import {
  AggregationHarness,
  apiService,
  API_SERVICES,
  FLUNDERS,
  GROUP,
} from './aggregation-harness.ts';

const NAME = `v1.${GROUP}`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const SERVICE = '/api/v1/namespaces/default/services/wardle';
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/wardle';

async function itemsOf(harness: AggregationHarness): Promise<readonly JsonObject[]> {
  await harness.clock.pass(100);
  return objectsAt((await harness.get(API_SERVICES)).body, 'items');
}

function definition(versions: readonly string[]): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    metadata: { name: 'boats.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema,
      })),
    },
  };
}

test('every version that the server serves has its APIService, which is local and available', async () => {
  const harness = await AggregationHarness.open();
  const items = await itemsOf(harness);
  const { body } = await harness.get('/apis');
  const served = objectsAt(body, 'groups')
    .flatMap((group) => objectsAt(group, 'versions'))
    .map(
      (version) => `${textAt(version, 'version')}.${textAt(version, 'groupVersion').split('/')[0]}`,
    )
    .filter((name) => name !== 'v1.apiregistration.k8s.io');
  expect(items.map((one) => textAt(one, 'metadata.name'))).toEqual(['v1.', ...served].toSorted());
  for (const one of items) {
    expect(one['status']).toMatchObject({
      conditions: [{ type: 'Available', status: 'True', reason: 'Local' }],
    });
  }
  expect(items.find((one) => textAt(one, 'metadata.name') === 'v1.apps')).toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { groupPriorityMinimum: 17_800, versionPriority: 15 },
  });
});

test('the APIService of a CustomResourceDefinition comes, is restored, and goes with it', async () => {
  const harness = await AggregationHarness.open();
  await harness.admin('POST', DEFINITIONS, definition(['v1', 'v2']));
  const names = async (): Promise<readonly string[]> =>
    (await itemsOf(harness))
      .map((one) => textAt(one, 'metadata.name'))
      .filter((name) => name.endsWith('.example.com'));
  expect(await names()).toEqual(['v1.example.com', 'v2.example.com']);
  expect((await harness.get(`${API_SERVICES}/v2.example.com`)).body).toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
    spec: { groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  await harness.admin('DELETE', `${API_SERVICES}/v1.example.com`);
  expect(await names()).toEqual(['v1.example.com', 'v2.example.com']);
  await harness.send('PATCH', `${API_SERVICES}/v1.example.com`, {
    body: { spec: { versionPriority: 7 } },
  });
  await harness.clock.pass(100);
  const { body } = await harness.get(`${API_SERVICES}/v1.example.com`);
  expect(body.spec['versionPriority']).toBe(100);
  await harness.admin('DELETE', `${DEFINITIONS}/boats.example.com`);
  expect(await names()).toEqual([]);
});

test('the condition follows the Service, its port, and its endpoints', async () => {
  const harness = await AggregationHarness.open();
  await harness.admin('POST', API_SERVICES, apiService());
  const said = async (reason: string) => {
    const { status, message } = await harness.settle(NAME, reason);
    return [status, message];
  };
  expect(await said('ServiceNotFound')).toEqual([
    'False',
    'service/wardle in "default" is not present',
  ]);
  await harness.expose(harness.backend.port);
  expect(await said('Passed')).toEqual(['True', 'all checks passed']);
  const endpoints = [{ addresses: ['127.0.0.1'], conditions: { ready: false } }];
  await harness.send('PATCH', SLICE, { body: { endpoints } });
  expect(await said('MissingEndpoints')).toEqual([
    'False',
    'endpointslices for service/wardle in "default" have no addresses with port name "api"',
  ]);
  await harness.admin('DELETE', SLICE);
  expect(await said('EndpointsNotFound')).toEqual([
    'False',
    'cannot find endpointslices for service/wardle in "default"',
  ]);
  await harness.send('PATCH', SERVICE, { body: { spec: { ports: [{ name: 'api', port: 444 }] } } });
  expect(await said('ServicePortError')).toEqual([
    'False',
    'service/wardle in "default" is not listening on port 443',
  ]);
});

test('a server that does not answer fails its check, and passes it when it does', async () => {
  const harness = await AggregationHarness.open();
  harness.backend.handle = (_request, response) => {
    response.writeHead(500).end();
    return true;
  };
  await harness.register();
  const { message } = await harness.settle(NAME, 'FailedDiscoveryCheck');
  const url = `https://127.0.0.1:${harness.backend.port}/apis/${GROUP}/v1`;
  expect(message).toBe(`failing or missing response from ${url}: bad status from ${url}: 500`);
  harness.backend.handle = () => false;
  await harness.clock.pass(30_000);
  await harness.settle(NAME, 'Passed');
});

test('a server that dies unnoticed is noticed by the next check', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.settle(NAME, 'Passed');
  harness.backend.handle = ({ socket }) => {
    socket.destroy();
    return true;
  };
  await harness.clock.pass(30_000);
  await harness.settle(NAME, 'FailedDiscoveryCheck');
  const { code, text } = await harness.get(FLUNDERS);
  expect([code, text]).toEqual([503, 'service unavailable\n']);
});

test('nothing listens: the message has the address', async () => {
  const harness = await AggregationHarness.open();
  const port = await refusingPort();
  await harness.register({}, port);
  const { message } = await harness.settle(NAME, 'FailedDiscoveryCheck');
  expect(message).toContain(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
});

test('an APIService of the metrics API that names a Service takes it over, until it is deleted', async () => {
  const harness = await AggregationHarness.open();
  const name = 'v1beta1.metrics.k8s.io';
  const pods = '/apis/metrics.k8s.io/v1beta1/pods';
  await harness.settle(name, 'Local');
  harness.backend.handle = ({ url }, response) => {
    if (url?.startsWith('/apis/metrics.k8s.io/v1beta1') !== true) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"kind":"Theirs"}');
    return true;
  };
  await harness.expose(harness.backend.port);
  const { spec } = apiService({ group: 'metrics.k8s.io', version: 'v1beta1' });
  await harness.send('PATCH', `${API_SERVICES}/${name}`, { body: { spec } });
  await harness.settle(name, 'Passed');
  expect((await harness.get(pods)).body).toEqual({ kind: 'Theirs' });
  await harness.admin('DELETE', `${API_SERVICES}/${name}`);
  await harness.settle(name, 'Local');
  expect((await harness.get('/apis/metrics.k8s.io/v1beta1')).body).toMatchObject({
    kind: 'APIResourceList',
  });
});

test('aggregated API servers learn how to recognize the front proxy, also after it was deleted', async () => {
  const harness = await AggregationHarness.open();
  const { body } = await harness.get(CONFIG);
  expect(body['data']).toMatchObject({
    'client-ca-file': expect.stringContaining('BEGIN CERTIFICATE'),
    'requestheader-client-ca-file': expect.stringContaining('BEGIN CERTIFICATE'),
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
  await harness.admin('DELETE', CONFIG);
  await vi.waitFor(async () => {
    await harness.clock.pass(1);
    expect((await harness.get(CONFIG)).body['data']).toEqual(body['data']);
  });
});

test('no connection is made, and no dialer loaded, before an APIService names a Service', async () => {
  const harness = await AggregationHarness.open();
  await harness.clock.pass(120_000);
  expect(harness.backend.seen).toEqual([]);
  expect(harness.clock.pending).toBeLessThan(5);
});
