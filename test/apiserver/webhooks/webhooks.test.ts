/** Mutating and validating webhooks, called over TLS as kube-apiserver calls them. */
import { describe, expect, test, vi } from 'vitest';
import {
  CA,
  CONFIG_MAPS,
  patchWith,
  ruleFor,
  SERVICE_NAME,
  WebhookHarness,
} from './webhook-harness.ts';

const DENIED = { allowed: false, status: { message: 'no cats' } };

describe('a validating webhook', () => {
  test('refuses creates, updates, patches and deletes in its own words, and stores nothing', async () => {
    const harness = await WebhookHarness.open(({ request }) =>
      request['name'] === 'cat' ? DENIED : { allowed: true },
    );
    await harness.create('cat');
    await harness.configure('Validating');
    const message = 'admission webhook "a.example.com" denied the request: no cats';
    const change = { metadata: { name: 'cat' }, data: { a: 'b' } };
    const answers = [
      await harness.send('PUT', `${CONFIG_MAPS}/cat`, change),
      await harness.send('PATCH', `${CONFIG_MAPS}/cat`, change, 'merge-patch+json'),
      await harness.send('DELETE', `${CONFIG_MAPS}/cat`),
      await harness.send('DELETE', CONFIG_MAPS),
    ];
    for (const { code, body } of answers) expect([code, body.message]).toEqual([400, message]);
    expect((await harness.create('dog')).code).toBe(201);
    expect((await harness.send('GET', `${CONFIG_MAPS}/cat`)).body.data).toBeUndefined();
    const operations = harness.reviews.map(({ request }) => request['operation']);
    expect(operations.slice(0, 3)).toEqual(['UPDATE', 'UPDATE', 'DELETE']);
  });

  test('gets the request as kube-apiserver describes it, and no credentials', async () => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    await harness.configure('Validating');
    await harness.send('POST', `${CONFIG_MAPS}?dryRun=All&fieldManager=me`, {
      metadata: { name: 'x' },
    });
    const [review] = harness.reviews;
    expect(review?.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'x',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'system:admin', groups: ['system:masters'] },
      object: { kind: 'ConfigMap', apiVersion: 'v1' },
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions', dryRun: ['All'], fieldManager: 'me' },
    });
    expect(review?.['headers']).not.toHaveProperty('authorization');
  });

  test('adds warnings, and its status code and reason reach the client', async () => {
    const status = { code: 409, reason: 'Conflict', message: 'later' };
    const harness = await WebhookHarness.open(() => ({
      allowed: false,
      status,
      warnings: ['mind the gap'],
    }));
    await harness.configure('Validating');
    const { code, body, warnings } = await harness.create('x');
    expect([code, body['reason']]).toEqual([409, 'Conflict']);
    expect(warnings).toContain('mind the gap');
  });

  test('is asked about connections, by the name of their options', async () => {
    const harness = await WebhookHarness.open(() => DENIED);
    await harness.send('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'default' },
    });
    const spec = { containers: [{ name: 'c', image: 'x' }], automountServiceAccountToken: false };
    await harness.send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec,
    });
    await harness.configure('Validating', { rules: [ruleFor('pods/attach', ['CONNECT'])] });
    const attach = '/api/v1/namespaces/default/pods/p/attach?stdin=true&container=c';
    expect((await harness.send('POST', attach)).body.message).toContain('no cats');
    expect(harness.reviews[0]?.request.object).toEqual({
      kind: 'PodAttachOptions',
      apiVersion: 'v1',
      stdin: true,
      container: 'c',
    });
  });

  test('cannot protect or block webhook configurations', async () => {
    const harness = await WebhookHarness.open(() => DENIED);
    await harness.configure('Validating', { rules: [ruleFor('*/*')] });
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/a';
    expect((await harness.create('x')).code).toBe(400);
    expect((await harness.send('DELETE', path)).code).toBe(200);
    expect((await harness.create('x')).code).toBe(201);
  });
});

describe('a mutating webhook', () => {
  test('changes objects one after the other, in the order of names, before they are validated', async () => {
    const harness = await WebhookHarness.open(({ request }, path) => {
      const stage = path.startsWith('/a') ? 'a' : 'b';
      const data = (request.object['data'] ?? {}) as Record<string, string>;
      return patchWith([
        { op: 'add', path: '/data', value: { ...data, [stage]: String(Object.keys(data).length) } },
        { op: 'replace', path: '/metadata/uid', value: 'stolen' },
        { op: 'add', path: '/nonsense', value: 1 },
      ]);
    });
    await harness.configure('Mutating', {}, 'b');
    await harness.configure('Mutating', {}, 'a');
    const { code, body } = await harness.create('x');
    expect([code, body.data]).toEqual([201, { a: '0', b: '1' }]);
    expect(body['metadata']).not.toMatchObject({ uid: 'stolen' });
    expect(body).not.toHaveProperty('nonsense');
  });

  test('that asks for it is called again after a later one has changed the object', async () => {
    const harness = await WebhookHarness.open((_, path) =>
      path.startsWith('/a')
        ? { allowed: true }
        : patchWith([{ op: 'add', path: '/data', value: { b: '1' } }]),
    );
    await harness.configure('Mutating', { reinvocationPolicy: 'IfNeeded' }, 'a');
    await harness.configure('Mutating', {}, 'b');
    await harness.create('x');
    expect(harness.reviews.map(({ request }) => request.object['data'])).toEqual([
      undefined,
      undefined,
      { b: '1' },
    ]);
  });

  test('may not change what is deleted', async () => {
    const harness = await WebhookHarness.open(() =>
      patchWith([{ op: 'add', path: '/data', value: {} }]),
    );
    await harness.create('x');
    await harness.configure('Mutating', { rules: [ruleFor('configmaps', ['DELETE'])] });
    const { code, body } = await harness.send('DELETE', `${CONFIG_MAPS}/x`);
    expect([code, body.message]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    ]);
  });

  test('leaves out objects that its match conditions exclude', async () => {
    const harness = await WebhookHarness.open(() =>
      patchWith([{ op: 'add', path: '/data', value: { a: 'b' } }]),
    );
    const expression =
      "object.metadata.name != 'skip-me' && authorizer.group('').resource('pods').check('get').allowed()";
    await harness.configure('Mutating', { matchConditions: [{ name: 'skip', expression }] });
    expect((await harness.create('skip-me')).body.data).toBeUndefined();
    expect((await harness.create('other')).body.data).toEqual({ a: 'b' });
  });
});

describe('a webhook that fails', () => {
  test('within its time refuses the request, or is ignored, as its policy says', async () => {
    const harness = await WebhookHarness.open(() => null);
    await harness.configure('Validating', { timeoutSeconds: 1 });
    const refused = harness.create('x');
    await vi.waitFor(() => expect(harness.reviews).toHaveLength(1));
    await harness.clock.pass(1000);
    const { code, body } = await refused;
    expect([code, body.message]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ' +
        `Post "https://127.0.0.1:${harness.port}/a?timeout=1s": context deadline exceeded`,
    ]);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/a';
    const ignore = { webhooks: [{ name: 'a.example.com', failurePolicy: 'Ignore' }] };
    await harness.send('PATCH', path, ignore, 'strategic-merge-patch+json');
    const allowed = harness.create('x');
    await vi.waitFor(() => expect(harness.reviews).toHaveLength(2));
    await harness.clock.pass(1000);
    expect((await allowed).code).toBe(201);
  });

  test('by a redirect is not followed', async () => {
    const harness = await WebhookHarness.open((_, path) => (path.startsWith('/a') ? '/b' : {}));
    await harness.configure('Validating');
    expect((await harness.create('x')).body.message).toContain('which is not followed');
    expect(harness.reviews).toHaveLength(1);
  });

  test('by another uid, or by a certificate of another authority, has no answer', async () => {
    const harness = await WebhookHarness.open(() => ({ uid: 'other', allowed: true }));
    await harness.configure('Validating');
    expect((await harness.create('x')).body.message).toContain('expected response.uid=');
    const url = `https://127.0.0.1:${harness.port}/a`;
    await harness.configure('Mutating', { clientConfig: { url } });
    expect((await harness.create('x')).body.message).toContain(
      'x509: certificate signed by unknown authority',
    );
  });

  test('on dry runs cannot be configured: side effects are refused', async () => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    const { code, body } = await harness.configure('Validating', { sideEffects: 'Some' });
    expect([code, body.message]).toEqual([422, expect.stringContaining('sideEffects')]);
  });
});

describe('a Service reference', () => {
  const client = (port: number) => ({
    service: { namespace: 'default', name: 'hook', path: '/a', port },
    caBundle: Buffer.from(CA.cert).toString('base64'),
  });
  const pod = (name: string) => ({
    metadata: { name, labels: { app: 'hook' } },
    spec: { containers: [{ name: 'c', image: 'x' }], automountServiceAccountToken: false },
  });
  const ready = {
    status: {
      podIP: '127.0.0.1',
      podIPs: [{ ip: '127.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };

  async function openWith(podName: string, spec: object): Promise<WebhookHarness> {
    const harness = await WebhookHarness.open(() => DENIED);
    const at = '/api/v1/namespaces/default';
    await harness.send('POST', `${at}/serviceaccounts`, { metadata: { name: 'default' } });
    await harness.send('POST', `${at}/pods`, pod(podName));
    await harness.send('PATCH', `${at}/pods/${podName}/status`, ready, 'merge-patch+json');
    const ports = [{ port: 443, targetPort: harness.port }];
    await harness.send('POST', `${at}/services`, {
      metadata: { name: 'hook' },
      spec: { ports, ...spec },
    });
    await harness.configure('Validating', { clientConfig: client(443) });
    return harness;
  }

  test('resolves to a ready pod that the Service selects, whose certificate has its name', async () => {
    const harness = await openWith('hook', { selector: { app: 'hook' } });
    expect((await harness.create('x')).body.message).toContain('no cats');
    expect(harness.reviews[0]?.['headers']).toMatchObject({
      host: expect.stringContaining(SERVICE_NAME),
    });
  });

  test('never leads to a loopback address that the node did not give to the pod', async () => {
    const harness = await openWith('liar', { selector: { app: 'hook' } });
    expect((await harness.create('x')).body.message).toBe(
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ' +
        `Post "https://${SERVICE_NAME}:443/a?timeout=10s": no endpoints available for service "hook"`,
    );
    expect(harness.reviews).toEqual([]);
  });

  test('to another name goes nowhere', async () => {
    const harness = await openWith('hook', { type: 'ExternalName', externalName: 'localhost' });
    expect((await harness.create('x')).body.message).toContain(
      'unsupported service type "ExternalName"',
    );
  });
});

test.each(['Mutating', 'Validating'] as const)(
  '%s configurations whose match conditions do not compile are refused',
  async (kind) => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    const matchConditions = [{ name: 'bad', expression: '... [] bad expression' }];
    const { code, body } = await harness.configure(kind, { matchConditions });
    expect([code, body.message]).toEqual([422, expect.stringContaining('compilation failed')]);
  },
);
