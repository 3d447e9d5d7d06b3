/** Custom resources whose versions a webhook converts: what it is asked, and what clients see. */
import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { metadataOf, textOf } from '../../../src/apiserver/objects/metadata.ts';
import { promisesSettled } from '../../support/virtual-clock.ts';
import { patchWith, ruleFor } from '../webhooks/webhook-harness.ts';
import {
  byUrl,
  ConversionHarness,
  convertObject,
  convertReview,
  CRD,
  GROUP,
  inV1,
  inV2,
  KIND,
  objectsIn,
  V1,
  V2,
  type Converting,
} from './conversion-harness.ts';

const WHAT = `conversion webhook for ${GROUP}/v1, Kind=${KIND}`;

describe('the webhook', () => {
  test('gets a ConversionReview with the objects that need it, and no credentials', async () => {
    const harness = await ConversionHarness.open();
    const { body: created } = await harness.send('POST', V1, inV1('a'));
    expect(harness.webhook.reviews).toEqual([]);
    await harness.send('GET', `${V2}/a`);
    const [review] = harness.webhook.reviews;
    expect(review).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { desiredAPIVersion: `${GROUP}/v2`, objects: [created] },
    });
    expect(review?.request.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(review?.['headers']).not.toHaveProperty('authorization');
  });

  test('is asked once for an object that did not change, and once for a whole list', async () => {
    const harness = await ConversionHarness.open();
    for (const name of ['a', 'b', 'c']) await harness.send('POST', V1, inV1(name));
    await harness.send('GET', V2);
    await harness.send('GET', V2);
    await harness.send('GET', `${V2}/b`);
    expect(harness.counts).toEqual([3]);
    await harness.send('POST', V1, inV1('d'));
    await harness.send('GET', V2);
    expect(harness.counts).toEqual([3, 1]);
  });

  test('may know v1beta1 alone, and need not repeat the UID then', async () => {
    const harness = await ConversionHarness.open(
      (review) => ({ ...convertReview(review), uid: 'another' }),
      (spec) => withWebhook(spec, { conversionReviewVersions: ['v0', 'v1beta1'] }),
    );
    await harness.send('POST', V1, inV1('a'));
    expect((await harness.send('GET', `${V2}/a`)).body).toMatchObject({ host: 'localhost' });
    expect(harness.webhook.reviews[0]?.['apiVersion']).toBe('apiextensions.k8s.io/v1beta1');
  });

  test('may change labels and annotations, and nothing else of the metadata', async () => {
    const harness = await ConversionHarness.open((review) => ({
      ...convertReview(review),
      convertedObjects: objectsIn(review).map((object) => ({
        ...convertObject(object, textOf(review.request['desiredAPIVersion'])),
        metadata: {
          ...metadataOf(object),
          labels: { from: 'webhook' },
          finalizers: ['example.com/evil'],
          resourceVersion: '1',
        },
      })),
    }));
    const { body: created } = await harness.send('POST', V1, inV1('a'));
    const { body } = await harness.send('GET', `${V2}/a`);
    expect(body['metadata']).toEqual({
      ...metadataOf(created),
      labels: { from: 'webhook' },
    });
  });
});

describe('an answer that is refused', () => {
  const answers: readonly (readonly [string, Converting, string])[] = [
    ['no response object', () => ({ uid: 'x' }), 'failed: expected response.uid='],
    [
      'a failure with a message',
      () => ({ result: { status: 'Failure', message: 'not today' } }),
      'failed: not today',
    ],
    [
      'a failure without one',
      () => ({ result: { status: 'Failure' } }),
      "failed: response.result.status was 'Failure', not 'Success'",
    ],
    [
      'too few objects',
      (review) => ({ ...convertReview(review), convertedObjects: [] }),
      'returned 0 objects, expected 1',
    ],
    [
      'the wrong version',
      changed((object) => ({ ...object, apiVersion: `${GROUP}/v3` })),
      'returned invalid object at index 0: invalid groupVersion ' +
        `(expected ${GROUP}/v2, received ${GROUP}/v3)`,
    ],
    [
      'another kind',
      changed((object) => ({ ...object, kind: 'Other' })),
      `returned invalid object at index 0: invalid kind (expected ${KIND}, received Other)`,
    ],
    [
      'another name',
      changed((object) => withMeta(object, { name: 'b' })),
      'returned invalid object: must have the same name: a != b',
    ],
    [
      'another namespace',
      changed((object) => withMeta(object, { namespace: 'kube-system' })),
      'returned invalid object: must have the same namespace: default != kube-system',
    ],
    [
      'another UID',
      changed((object) => withMeta(object, { uid: 'x' })),
      'returned invalid object: must have the same UID: ',
    ],
    [
      'labels that are no texts',
      changed((object) => withMeta(object, { labels: { a: 1 } })),
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in ' +
        'converted object',
    ],
    [
      'an invalid label',
      changed((object) => withMeta(object, { labels: { 'a b': 'c' } })),
      'returned invalid metadata: metadata.labels: Invalid value: "a b"',
    ],
  ];

  test.each(answers)('%s', async (_what, converting, message) => {
    const harness = await ConversionHarness.open(converting);
    await harness.send('POST', V1, inV1('a'));
    const { code, body } = await harness.send('GET', `${V2}/a`);
    expect([code, body['reason'] ?? '']).toEqual([500, '']);
    expect(body.message).toContain(`${WHAT} ${message}`);
    // The stored version needs no webhook.
    expect((await harness.send('GET', `${V1}/a`)).code).toBe(200);
  });

  test('in a list it names the object by its place', async () => {
    const harness = await ConversionHarness.open(
      changed((object) =>
        metadataOf(object)['name'] === 'b' ? withMeta(object, { name: 'c' }) : object,
      ),
    );
    await harness.send('POST', V1, inV1('a'));
    await harness.send('POST', V1, inV1('b'));
    expect((await harness.send('GET', V2)).body.message).toBe(
      `${WHAT} returned invalid converted object at index 1: must have the same name: b != c`,
    );
  });

  test('a write that cannot be converted stores nothing', async () => {
    const harness = await ConversionHarness.open(() => ({ result: { status: 'Failure' } }));
    expect((await harness.send('POST', V2, inV2('a'))).code).toBe(500);
    expect((await harness.send('GET', `${V1}/a`)).code).toBe(404);
  });
});

describe('a webhook that does not answer', () => {
  test('ends the request after 30 seconds, and holds up no other', async () => {
    const harness = await ConversionHarness.open(() => null);
    await harness.send('POST', V1, inV1('a'));
    const waiting = harness.send('GET', `${V2}/a`);
    await vi.waitFor(() => expect(harness.counts).toEqual([1]));
    // A second request for the same object waits for the same call.
    const second = harness.send('GET', V2);
    expect((await harness.send('GET', `${V1}/a`)).code).toBe(200);
    expect((await harness.send('GET', '/api/v1/namespaces/default')).code).toBe(200);
    await harness.webhook.clock.pass(30_000);
    const { code, body } = await waiting;
    const url = `https://127.0.0.1:${harness.webhook.port}/crdconvert?timeout=30s`;
    expect([code, body.message]).toEqual([
      500,
      `${WHAT} failed: Post "${url}": context deadline exceeded`,
    ]);
    await vi.waitFor(() => expect(harness.counts).toEqual([1, 1]));
    await harness.webhook.clock.pass(30_000);
    expect((await second).code).toBe(500);
  });

  test('is counted in the metrics', async () => {
    const harness = await ConversionHarness.open(() => ({ result: { status: 'Failure' } }));
    await harness.send('POST', V1, inV1('a'));
    await harness.send('GET', `${V2}/a`);
    const { body } = await harness.send('GET', '/metrics');
    expect(body.message).toContain(
      'apiserver_conversion_webhook_request_total{' +
        'failure_type="conversion_webhook_malformed_response_failure",result="failure"} 1',
    );
  });
});

describe('writes through a version that is not stored', () => {
  test('create, update, JSON patch and merge patch are stored in the storage version', async () => {
    const harness = await ConversionHarness.open();
    const { body: created } = await harness.send('POST', V2, inV2('a'));
    expect(created).toMatchObject({ apiVersion: `${GROUP}/v2`, host: 'localhost', port: '8080' });
    const stored = () => harness.webhook.store.get(`/${GROUP}/endpoints/default/a`)?.value;
    expect(stored()).toMatchObject({ apiVersion: `${GROUP}/v1`, hostPort: 'localhost:8080' });
    expect(stored()).not.toHaveProperty('host');
    await harness.send('PUT', `${V2}/a`, { ...created, port: '1' });
    expect(stored()).toMatchObject({ hostPort: 'localhost:1' });
    await harness.send('PATCH', `${V2}/a`, { port: '2' }, 'merge-patch+json');
    expect(stored()).toMatchObject({ hostPort: 'localhost:2' });
    const operations = [{ op: 'replace', path: '/port', value: '3' }];
    const patch = operations as unknown as JsonObject;
    const { body } = await harness.send('PATCH', `${V2}/a`, patch, 'json-patch+json');
    expect(body).toMatchObject({ port: '3', metadata: { generation: 4 } });
    expect(stored()).toMatchObject({ hostPort: 'localhost:3', metadata: metadataOf(body) });
  });

  test('a dry run stores nothing', async () => {
    const harness = await ConversionHarness.open();
    expect((await harness.send('POST', `${V2}?dryRun=All`, inV2('a'))).code).toBe(201);
    expect((await harness.send('GET', `${V2}/a`)).code).toBe(404);
  });

  test('apply finds the conflict with a manager who applied in another version', async () => {
    const harness = await ConversionHarness.open();
    const apply = (path: string, manager: string, config: JsonObject) =>
      harness.send('PATCH', `${path}/a?fieldManager=${manager}`, config, 'apply-patch+yaml');
    expect((await apply(V1, 'one', inV1('a', 'here:80'))).code).toBe(201);
    const refused = await apply(V2, 'two', inV2('a', 'there', '80'));
    expect([refused.code, refused.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .hostPort',
    ]);
    const agreed = await apply(V2, 'two', inV2('a', 'here', '80'));
    expect(agreed.code).toBe(200);
    const managers = metadataOf(agreed.body)['managedFields'];
    const shared = { operation: 'Apply', fieldsType: 'FieldsV1' };
    for (const entry of [
      { manager: 'one', apiVersion: `${GROUP}/v1`, fieldsV1: { 'f:hostPort': {} } },
      { manager: 'two', apiVersion: `${GROUP}/v2`, fieldsV1: { 'f:host': {}, 'f:port': {} } },
    ]) {
      expect(managers).toContainEqual(expect.objectContaining({ ...shared, ...entry }));
    }
  });

  test('an update takes fields from managers of other versions', async () => {
    const harness = await ConversionHarness.open();
    await harness.send('POST', `${V1}?fieldManager=one`, inV1('a', 'here:80'));
    const { body } = await harness.send('GET', `${V2}/a`);
    await harness.send('PUT', `${V2}/a?fieldManager=two`, { ...body, port: '81' });
    const after = await harness.send('GET', `${V1}/a`);
    expect(metadataOf(after.body)['managedFields']).toMatchObject([
      { manager: 'two', apiVersion: `${GROUP}/v2`, fieldsV1: { 'f:port': {} } },
    ]);
  });

  test('status and scale are those of the version', async () => {
    const harness = await ConversionHarness.open(convertReview, withSubresources);
    await harness.send('POST', V1, { ...inV1('a'), spec: { replicas: 2 } });
    const { body: scale } = await harness.send('GET', `${V2}/a/scale`);
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    const wanted = { ...scale, spec: { replicas: 5 } };
    expect((await harness.send('PUT', `${V2}/a/scale`, wanted)).code).toBe(200);
    const status = { status: { replicas: 4 } };
    await harness.send('PATCH', `${V2}/a/status`, status, 'merge-patch+json');
    expect((await harness.send('GET', `${V1}/a`)).body).toMatchObject({
      hostPort: 'localhost:8080',
      spec: { replicas: 5 },
      status: { replicas: 4 },
    });
  });
});

test('a table has the columns of the requested version', async () => {
  const harness = await ConversionHarness.open();
  await harness.send('POST', V1, inV1('a'));
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const answer = await harness.webhook.server.fetch(
    new Request(`http://podkeep${V2}`, { headers: { accept } }),
  );
  expect(await answer.json()).toMatchObject({
    columnDefinitions: [{ name: 'Name' }, { name: 'host' }, { name: 'port' }],
    rows: [{ cells: ['a', 'localhost', '8080'] }],
  });
});

describe('a watch', () => {
  test('converts its first objects and every event, in their order', async () => {
    const harness = await ConversionHarness.open();
    await harness.send('POST', V1, inV1('a'));
    const events = await harness.watch(V2);
    await harness.send('PATCH', `${V1}/a`, { hostPort: 'x:1' }, 'merge-patch+json');
    await harness.send('PATCH', `${V1}/a`, { hostPort: 'x:2' }, 'merge-patch+json');
    await harness.send('DELETE', `${V1}/a`);
    await vi.waitFor(() => expect(events).toHaveLength(4));
    expect(events).toMatchObject([
      { type: 'ADDED', object: { apiVersion: `${GROUP}/v2`, port: '8080' } },
      { type: 'MODIFIED', object: { port: '1' } },
      { type: 'MODIFIED', object: { port: '2' } },
      { type: 'DELETED', object: { port: '2' } },
    ]);
  });

  test('ends with an error event when a conversion fails', async () => {
    let isBroken = false;
    const harness = await ConversionHarness.open((review) =>
      isBroken ? { result: { status: 'Failure', message: 'broken' } } : convertReview(review),
    );
    const events = await harness.watch(V2);
    isBroken = true;
    await harness.send('POST', V1, inV1('a'));
    await vi.waitFor(() => expect(events.isOver).toBe(true));
    expect([...events]).toMatchObject([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          code: 500,
          reason: 'InternalError',
          message: `${WHAT} failed: broken`,
        },
      },
    ]);
  });

  test('sends no bookmark of a version whose events are still being converted', async () => {
    let isSilent = false;
    const harness = await ConversionHarness.open((review) =>
      isSilent ? null : convertReview(review),
    );
    const events = await harness.watch(V2, '&allowWatchBookmarks=true');
    await harness.webhook.clock.pass(59_000);
    isSilent = true;
    await harness.send('POST', V1, inV1('a'));
    await vi.waitFor(() => expect(harness.counts).toEqual([1]));
    await harness.webhook.clock.pass(2_000);
    await promisesSettled();
    expect(events).toEqual([]);
  });

  test('ends when the versions are served otherwise, and not with a new condition', async () => {
    const harness = await ConversionHarness.open();
    const events = await harness.watch(V2);
    const condition = { type: 'KubernetesAPIApprovalPolicyConformant', status: 'True' };
    const { body } = await harness.send('GET', CRD);
    const status = body['status'] as JsonObject & { readonly conditions: readonly JsonObject[] };
    const conditions = [...status.conditions, { ...condition, reason: 'x', message: 'x' }];
    await harness.send('PUT', `${CRD}/status`, { ...body, status: { ...status, conditions } });
    await harness.send('POST', V1, inV1('a'));
    await vi.waitFor(() => expect(events).toHaveLength(1));
    await harness.store('v2');
    await vi.waitFor(() => expect(events.isOver).toBe(true));
  });
});

describe('the storage version', () => {
  test('that changes is added to storedVersions, and cannot be removed from there', async () => {
    const harness = await ConversionHarness.open();
    await harness.store('v2');
    const { body } = await harness.send('GET', CRD);
    expect(body['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const spec = body['spec'] as JsonObject & { readonly versions: readonly JsonObject[] };
    const versions = spec.versions.filter(({ name }) => name !== 'v1');
    const lost = await harness.send('PUT', CRD, { ...body, spec: { ...spec, versions } });
    expect([lost.code, lost.body.message]).toEqual([
      422,
      expect.stringContaining(
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was ' +
          'previously a storage version',
      ),
    ]);
  });

  test('is taken by an update that changes nothing else: so objects are migrated', async () => {
    const harness = await ConversionHarness.open();
    await harness.send('POST', V1, inV1('a'));
    await harness.store('v2');
    const { body } = await harness.send('GET', `${V1}/a`);
    const { body: after } = await harness.send('PUT', `${V1}/a`, body);
    expect(metadataOf(after)['resourceVersion']).not.toBe(metadataOf(body)['resourceVersion']);
    const stored = harness.webhook.store.get(`/${GROUP}/endpoints/default/a`)?.value;
    expect(stored).toMatchObject({ apiVersion: `${GROUP}/v2`, host: 'localhost' });
    // The next one changes nothing at all.
    const { body: again } = await harness.send('PUT', `${V1}/a`, after);
    expect(again).toEqual(after);
  });
});

test('a Service does not lead to a loopback address that the node did not give to its pod', async () => {
  const service = { namespace: 'default', name: 'liar', path: '/', port: 443 };
  const harness = await ConversionHarness.open(convertReview, (spec) =>
    withWebhook(spec, { clientConfig: { service } }),
  );
  const at = '/api/v1/namespaces/default';
  await harness.send('POST', `${at}/serviceaccounts`, { metadata: { name: 'default' } });
  await harness.send('POST', `${at}/pods`, {
    metadata: { name: 'liar', labels: { app: 'liar' } },
    spec: { containers: [{ name: 'c', image: 'x' }], automountServiceAccountToken: false },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }], conditions };
  await harness.send('PATCH', `${at}/pods/liar/status`, { status }, 'merge-patch+json');
  const ports = [{ port: 443, targetPort: harness.webhook.port }];
  const spec = { ports, selector: { app: 'liar' } };
  await harness.send('POST', `${at}/services`, { metadata: { name: 'liar' }, spec });
  await harness.send('POST', V1, inV1('a'));
  expect((await harness.send('GET', `${V2}/a`)).body.message).toBe(
    `${WHAT} failed: Post "https://liar.default.svc:443/?timeout=30s": ` +
      'no endpoints available for service "liar"',
  );
  expect(harness.webhook.reviews).toEqual([]);
});

test('a redirect of the webhook is not followed', async () => {
  const harness = await ConversionHarness.open(() => 'https://127.0.0.1:1/');
  await harness.send('POST', V1, inV1('a'));
  expect((await harness.send('GET', `${V2}/a`)).body.message).toBe(
    `${WHAT} failed: the server redirects (status 302), which is not followed`,
  );
});

describe('a caBundle without a certificate', () => {
  const bundle = Buffer.from('none').toString('base64');
  const fault = 'unable to load root certificates: unable to parse bytes as PEM block';

  test('keeps a new definition from being established, until it has one', async () => {
    const harness = await ConversionHarness.open(convertReview, (spec) =>
      withWebhook(spec, { clientConfig: { url: 'https://127.0.0.1:1/', caBundle: bundle } }),
    );
    const { body } = await harness.send('GET', CRD);
    expect((body['status'] as JsonObject)['conditions']).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      {
        type: 'Established',
        status: 'False',
        reason: 'InvalidCABundle',
        message: 'The conversion webhook CABundle is invalid',
      },
    ]);
    expect((await harness.send('GET', V1)).code).toBe(404);
    const clientConfig = byUrl(harness.webhook.port);
    const spec = withWebhook(body['spec'] as JsonObject, { clientConfig });
    expect((await harness.send('PUT', CRD, { ...body, spec })).code).toBe(200);
    await promisesSettled();
    expect((await harness.send('GET', V1)).code).toBe(200);
  });

  test('is refused once it is established', async () => {
    const harness = await ConversionHarness.open();
    const { body } = await harness.send('GET', CRD);
    const clientConfig = { ...byUrl(harness.webhook.port), caBundle: bundle };
    const spec = withWebhook(body['spec'] as JsonObject, { clientConfig });
    const { code, body: refusal } = await harness.send('PUT', CRD, { ...body, spec });
    expect([code, refusal.message]).toEqual([
      422,
      'CustomResourceDefinition.apiextensions.k8s.io "endpoints.stable.example.com" is invalid: ' +
        `spec.conversion.webhookClientConfig.caBundle: Invalid value: "${bundle}": ${fault}`,
    ]);
  });
});

test('without a webhook only the apiVersion changes, and fields that the version does not have go', async () => {
  const harness = await ConversionHarness.open(convertReview, (spec) => ({
    ...spec,
    conversion: { strategy: 'None' },
  }));
  const { body: created } = await harness.send('POST', V2, inV2('a'));
  // The storage version has no such fields: the answer shows that they were not stored.
  expect(created).not.toHaveProperty('host');
  await harness.send('POST', V1, inV1('b'));
  const { body } = await harness.send('GET', `${V2}/b`);
  expect(body['apiVersion']).toBe(`${GROUP}/v2`);
  expect(body).not.toHaveProperty('hostPort');
  expect(harness.webhook.reviews).toEqual([]);
});

test('a definition is deleted with its objects, though its webhook is gone', async () => {
  let isBroken = false;
  const harness = await ConversionHarness.open((review) => (isBroken ? {} : convertReview(review)));
  await harness.send('POST', V2, inV2('a'));
  await harness.store('v2');
  isBroken = true;
  await harness.send('DELETE', CRD);
  await vi.waitFor(async () => expect((await harness.send('GET', CRD)).code).toBe(404));
});

test('an admission webhook for one version sees and changes the others in it', async () => {
  const harness = await ConversionHarness.open((review) =>
    review['kind'] === 'ConversionReview'
      ? convertReview(review)
      : patchWith([{ op: 'replace', path: '/hostPort', value: 'patched:1' }]),
  );
  await harness.webhook.configure('Mutating', {
    rules: [{ ...ruleFor('endpoints'), apiVersions: ['v1'] }],
  });
  const { body } = await harness.send('POST', V2, inV2('a'));
  expect(body).toMatchObject({ apiVersion: `${GROUP}/v2`, host: 'patched', port: '1' });
  const asked = harness.webhook.reviews.find((review) => review['kind'] === 'AdmissionReview');
  expect(asked?.request.object).toMatchObject({
    apiVersion: `${GROUP}/v1`,
    hostPort: 'localhost:8080',
  });
});

function changed(change: (object: JsonObject) => JsonObject): Converting {
  return (review) => ({
    ...convertReview(review),
    convertedObjects: objectsIn(review).map((object) =>
      change(convertObject(object, textOf(review.request['desiredAPIVersion']))),
    ),
  });
}

function withMeta(object: JsonObject, fields: JsonObject): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), ...fields } };
}

function withWebhook(spec: JsonObject, fields: JsonObject): JsonObject {
  const conversion = spec['conversion'] as JsonObject & { readonly webhook: JsonObject };
  return { ...spec, conversion: { ...conversion, webhook: { ...conversion.webhook, ...fields } } };
}

function withSubresources(spec: JsonObject): JsonObject {
  const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const versions = (spec['versions'] as readonly JsonObject[]).map((version) => {
    const { openAPIV3Schema } = version['schema'] as { readonly openAPIV3Schema: JsonObject };
    const properties = openAPIV3Schema['properties'] as JsonObject;
    return {
      ...version,
      schema: {
        openAPIV3Schema: {
          ...openAPIV3Schema,
          properties: { ...properties, spec: replicas, status: replicas },
        },
      },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    };
  });
  return { ...spec, versions };
}
