/** The official JavaScript client against the listener: its requests, and how it reads our answers. */
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedServer, type EmbeddedServer } from '../../src/apiserver/embedded-server.ts';
import { createPki, type Pki } from '../../src/apiserver/pki/pki.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { openHttpsListener, type HttpsListener } from '../../src/platform/https-listener.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { silentLog as log } from '../support/silent-ports.ts';

const random = seededRandom(1);
const namespace = 'default';

let pki: Pki;
let server: EmbeddedServer;
let listener: HttpsListener;
let config: KubeConfig;
let core: CoreV1Api;

beforeEach(async () => {
  pki = await createPki({ clock, random });
  const { caCert, serviceAccountKey: signingKey } = pki;
  const store = openMemoryStore({ clock, log });
  const access = { signingKey, mode: 'RBAC' } as const;
  server = await openEmbeddedServer({ store, clock, random, log, version: {}, access, caCert });
  await openListener(0);
  config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'c', server: listener.url, caData: encode(caCert) }],
    users: [{ name: 'u', certData: encode(pki.adminCert), keyData: encode(pki.adminKey) }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  core = config.makeApiClient(CoreV1Api);
});

afterEach(async () => {
  await listener.close();
  await server.close();
});

async function openListener(port: number): Promise<void> {
  const { serverCert: cert, serverKey: key, caCert: ca } = pki;
  listener = await openHttpsListener({ handler: server, cert, key, ca, port });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

function create(name: string, data: Record<string, string> = {}): Promise<V1ConfigMap> {
  return core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data } });
}

async function errorOf(act: Promise<unknown>): Promise<{ code: number; body: unknown }> {
  const error: unknown = await act.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiException);
  const { code, body } = error as ApiException<string>;
  return { code, body: JSON.parse(body) };
}

/** Polls until something is true. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('objects', () => {
  test('are created, read, replaced, listed in pages and deleted', async () => {
    const created = await create('a', { x: '1' });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: Object.assign(created, { data: { x: '2' } }),
    });
    expect(replaced.data).toEqual({ x: '2' });
    await Promise.all(['b', 'c', 'd'].map((name) => create(name)));
    const names: (string | undefined)[] = [];
    let next: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        limit: 2,
        ...(next !== undefined && next !== '' && { _continue: next }),
      });
      names.push(...page.items.map(({ metadata }) => metadata?.name));
      ({ _continue: next } = page.metadata ?? {});
    } while (next !== undefined && next !== '');
    expect(names.filter((name) => name !== 'kube-root-ca.crt')).toEqual(['a', 'b', 'c', 'd']);
    await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
    expect((await errorOf(core.readNamespacedConfigMap({ namespace, name: 'a' }))).code).toBe(404);
  });

  test.each([
    [PatchStrategy.MergePatch, { data: { y: '2' } }],
    [PatchStrategy.StrategicMergePatch, { data: { y: '2' } }],
    [PatchStrategy.JsonPatch, [{ op: 'add', path: '/data/y', value: '2' }]],
  ])('are patched by %s', async (strategy, body) => {
    await create('a', { x: '1' });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'a', body },
      setHeaderOptions('Content-Type', strategy),
    );
    expect(patched.data).toEqual({ x: '1', y: '2' });
  });

  test('of other groups have their defaults', async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: 'web' };
    const { spec } = await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'c', image: 'x' }] },
          },
        },
      },
    });
    expect(spec).toMatchObject({ replicas: 1, revisionHistoryLimit: 10 });
  });
});

describe('errors', () => {
  test('come as a Status, whatever the failure', async () => {
    expect(await errorOf(core.readNamespacedPod({ namespace, name: 'none' }))).toEqual({
      code: 404,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'pods "none" not found',
        reason: 'NotFound',
        details: { name: 'none', kind: 'pods' },
        code: 404,
      },
    });
    await create('a');
    expect(await errorOf(create('a'))).toMatchObject({
      code: 409,
      body: { reason: 'AlreadyExists', message: 'configmaps "a" already exists' },
    });
    expect(await errorOf(create('Not A Name'))).toMatchObject({
      code: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } },
    });
    expect(await errorOf(create('large', { x: 'x'.repeat(4 * 1024 * 1024) }))).toMatchObject({
      code: 413,
      body: { reason: 'RequestEntityTooLarge' },
    });
  });

  test('a client without a certificate is refused', async () => {
    const stranger = new KubeConfig();
    stranger.loadFromOptions({
      clusters: [{ name: 'c', server: listener.url, caData: encode(pki.caCert) }],
      users: [{ name: 'u', token: 'made up' }],
      contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
      currentContext: 'x',
    });
    // The client does not show the body of this one.
    await expect(stranger.makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({ code: 401 });
  });
});

describe('watches', () => {
  test('deliver changes in order, and end when the client stops them', async () => {
    const events: string[] = [];
    const watch = new Watch(config);
    let isOver = false;
    const controller = await watch.watch(
      '/api/v1/namespaces/default/configmaps',
      { fieldSelector: 'metadata.name=a' },
      (phase) => events.push(phase),
      () => (isOver = true),
    );
    await create('a', { x: '1' });
    await core.patchNamespacedConfigMap(
      { namespace, name: 'a', body: { data: { x: '2' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
    await until(() => events.length === 3);
    expect(events).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    controller.abort();
    await until(() => isOver);
  });

  test('an informer resumes when the listener is closed and opened again', async () => {
    const seen: string[] = [];
    const informer = makeInformer<V1ConfigMap>(
      config,
      '/api/v1/namespaces/default/configmaps',
      () => core.listNamespacedConfigMap({ namespace }),
    );
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, ({ metadata, data }) => {
        // Every namespace gets this one, at its own time.
        if (metadata?.name === 'kube-root-ca.crt') return;
        seen.push([verb, metadata?.name, data?.['x']].join(' '));
      });
    }
    // As the client's documentation recommends.
    informer.on('error', () => setTimeout(() => void informer.start().catch(() => {}), 20));
    await create('a', { x: '1' });
    await informer.start();
    await until(() => seen.length === 1);

    const { port } = listener;
    await listener.close();
    // Changes while the listener is closed are delivered afterwards.
    const body = JSON.stringify({ data: { x: '2' } });
    const answer = await server.fetch(
      new Request('http://podkeep/api/v1/namespaces/default/configmaps/a', {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      }),
      { user: { name: 'system:admin', groups: ['system:masters'] } },
    );
    expect(answer.status).toBe(200);
    await openListener(port);
    await until(() => seen.length >= 2);
    await create('b', { x: '3' });
    await until(() => seen.length >= 3);
    await informer.stop();
    expect(seen).toEqual(['add a 1', 'update a 2', 'add b 3']);
  });
});
