/**
 * What Kubernetes' conformance tests of CustomResourceConversionWebhook and CustomResourceFieldSelectors do, step by
 * step, with a webhook behind a Service whose pod runs on loopback.
 */
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { nameOf, textOf } from '../../../src/apiserver/objects/metadata.ts';
import { openApiHandlers } from '../../../src/apiserver/openapi/openapi-handlers.ts';
import { promisesSettled } from '../../support/virtual-clock.ts';
import { CA, WebhookHarness } from '../webhooks/webhook-harness.ts';
import {
  ConversionHarness,
  convertReview,
  GROUP,
  inV1,
  inV2,
  specOf,
  V1,
  V2,
} from './conversion-harness.ts';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** Service, pod, definition; then the stub object that the tests wait with. */
async function setUp(): Promise<ConversionHarness> {
  const webhook = await WebhookHarness.open((review) => convertReview(review));
  const at = '/api/v1/namespaces/default';
  await webhook.send('POST', `${at}/serviceaccounts`, { metadata: { name: 'default' } });
  await webhook.send('POST', `${at}/pods`, {
    metadata: { name: 'hook', labels: { app: 'hook' } },
    spec: { containers: [{ name: 'c', image: 'x' }], automountServiceAccountToken: false },
  });
  const status = {
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await webhook.send('PATCH', `${at}/pods/hook/status`, { status }, 'merge-patch+json');
  await webhook.send('POST', `${at}/services`, {
    metadata: { name: 'hook' },
    spec: { ports: [{ port: 9443, targetPort: webhook.port }], selector: { app: 'hook' } },
  });
  const harness = new ConversionHarness(webhook);
  await harness.define(
    specOf({
      service: { namespace: 'default', name: 'hook', path: '/crdconvert', port: 9443 },
      caBundle: Buffer.from(CA.cert).toString('base64'),
    }),
  );
  const { host: _host, port: _port, ...stub } = inV2('stub');
  expect((await harness.send('POST', V2, stub)).code).toBe(201);
  expect((await harness.send('DELETE', `${V2}/stub`)).code).toBe(200);
  return harness;
}

test('all served versions are in both forms of discovery and in OpenAPI', async () => {
  const harness = await setUp();
  for (const version of ['v1', 'v2']) {
    const { body } = await harness.send('GET', `/apis/${GROUP}/${version}`);
    expect(body['resources']).toMatchObject([{ name: 'endpoints', kind: 'Endpoint' }]);
  }
  const { body: group } = await harness.send('GET', `/apis/${GROUP}`);
  expect(group).toMatchObject({
    versions: [{ version: 'v2' }, { version: 'v1' }],
    preferredVersion: { version: 'v2' },
  });
  const answer = await harness.webhook.server.fetch(
    new Request('http://podkeep/apis', { headers: { accept: AGGREGATED } }),
  );
  const { items } = (await answer.json()) as { readonly items: readonly JsonObject[] };
  expect(items.find((item) => nameOf(item) === GROUP)).toMatchObject({
    versions: [{ version: 'v2' }, { version: 'v1' }],
  });
  const serve = openApiHandlers(harness.webhook.server.parts);
  const url = {
    host: 'podkeep',
    pathname: '/openapi/v3',
    search: '',
    searchParams: new URLSearchParams(),
  };
  const request = new Request('http://podkeep/openapi/v3');
  const index = await serve(request, url);
  for (const version of ['v1', 'v2']) expect(index?.body).toContain(`apis/${GROUP}/${version}`);
});

test('a custom resource that was created in v1 is read in v2', async () => {
  const harness = await setUp();
  expect((await harness.send('POST', V1, inV1('cr-instance-1'))).code).toBe(201);
  const { body } = await harness.send('GET', `${V2}/cr-instance-1`);
  expect(body).toMatchObject({ apiVersion: `${GROUP}/v2`, host: 'localhost', port: '8080' });
  expect(body).not.toHaveProperty('hostPort');
});

test('a list of objects that are stored in two versions has all in the requested one', async () => {
  const harness = await setUp();
  await harness.send('POST', V1, inV1('cr-instance-1'));
  await harness.store('v2');
  expect((await harness.send('POST', V1, inV1('cr-instance-2'))).code).toBe(201);
  const stored = harness.webhook.store.list(`/${GROUP}/endpoints/`).objects;
  expect(stored.map(({ value }) => value['apiVersion'])).toEqual([`${GROUP}/v1`, `${GROUP}/v2`]);
  const first = await harness.send('GET', V1);
  const fields = { apiVersion: `${GROUP}/v1`, hostPort: 'localhost:8080' };
  expect(first.body['items']).toMatchObject([
    { ...fields, metadata: { name: 'cr-instance-1' } },
    { ...fields, metadata: { name: 'cr-instance-2' } },
  ]);
  const second = await harness.send('GET', V2);
  const others = { apiVersion: `${GROUP}/v2`, host: 'localhost', port: '8080' };
  expect(second.body['items']).toMatchObject([others, others]);
  for (const item of second.body['items'] as readonly JsonObject[]) {
    expect(item).not.toHaveProperty('hostPort');
  }
});

test('lists, watches and deletions by field selectors see the fields of their version', async () => {
  const harness = await setUp();
  const watches = {
    host: await harness.watch(V2, '&fieldSelector=host%3Dhost1'),
    hostPort: await harness.watch(V2, '&fieldSelector=host%3Dhost1,port%3D80'),
    old: await harness.watch(V1, '&fieldSelector=hostPort%3Dhost1:80'),
  };
  await harness.send('POST', V2, inV2('a', 'host1', '80'));
  await harness.send('POST', V2, inV2('b', 'host1', '8080'));
  const { port: _, ...portless } = inV2('c', 'host2');
  expect((await harness.send('POST', V2, portless)).code).toBe(201);

  const listed = async (path: string, selector: string): Promise<readonly string[]> => {
    const { body } = await harness.send('GET', `${path}?fieldSelector=${selector}`);
    return (body['items'] as readonly JsonObject[]).map(nameOf);
  };
  expect(await listed(V2, 'host%3Dhost1')).toEqual(['a', 'b']);
  expect(await listed(V2, 'host%3Dhost1,port%3D80')).toEqual(['a']);
  expect(await listed(V1, 'hostPort%3Dhost1:80')).toEqual(['a']);
  expect(await listed(V1, 'hostPort%3Dhost1:8080')).toEqual(['b']);
  const unknown = await harness.send('GET', `${V1}?fieldSelector=host%3Dhost1`);
  expect([unknown.code, unknown.body.message]).toEqual([400, 'field label not supported: host']);

  await vi.waitFor(() => expect(seen(watches.host)).toEqual(['ADDED a', 'ADDED b']));
  await vi.waitFor(() => expect(seen(watches.hostPort)).toEqual(['ADDED a']));
  await vi.waitFor(() => expect(seen(watches.old)).toEqual(['ADDED a']));

  await harness.send('DELETE', `${V2}?fieldSelector=host%3Dhost1,port%3D80`);
  const { body } = await harness.send('GET', `${V2}/b`);
  expect((await harness.send('PUT', `${V2}/b`, { ...body, host: 'host2' })).code).toBe(200);
  expect(await listed(V2, 'host%3Dhost1')).toEqual([]);
  expect(await listed(V2, 'host%3Dhost1,port%3D80')).toEqual([]);
  await vi.waitFor(() =>
    expect(seen(watches.host)).toEqual(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']),
  );
  await vi.waitFor(() => expect(seen(watches.hostPort)).toEqual(['ADDED a', 'DELETED a']));
  await vi.waitFor(() => expect(seen(watches.old)).toEqual(['ADDED a', 'DELETED a']));
  expect(watches.old.map(({ object }) => (object as JsonObject)['hostPort'])).toEqual([
    'host1:80',
    'host1:80',
  ]);
  await promisesSettled();
});

function seen(events: readonly JsonObject[]): readonly string[] {
  return events.map(({ type, object }) => `${textOf(type)} ${nameOf(object as JsonObject)}`);
}
