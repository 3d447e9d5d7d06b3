import { generateKeyPairSync } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog as log } from '../../test/support/silent-ports.ts';
import { promisesSettled, VirtualClock } from '../../test/support/virtual-clock.ts';
import type { HealthCheck } from '../lib/health-report.ts';
import { seededRandom } from '../platform/seeded-random.ts';
import type { ObjectStore } from '../ports/api/object-store.ts';
import { openEmbeddedServer, type EmbeddedServer } from './embedded-server.ts';
import { openMemoryStore } from './store/memory-store.ts';

const { privateKey: signingKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const SOME_TIME_MS = 2_000;
const ADMIN = { user: { name: 'admin', groups: ['system:masters'] } };

async function open(
  clock: VirtualClock,
  store: ObjectStore,
  checks?: () => readonly HealthCheck[],
): Promise<EmbeddedServer> {
  const access = { signingKey, mode: 'RBAC' } as const;
  const world = { store, clock, random: seededRandom(1), log };
  const server = await openEmbeddedServer({
    ...world,
    version: { major: '1' },
    access,
    caCert: 'ca',
    ...(checks && { checks }),
  });
  onTestFinished(() => server.close());
  return server;
}

function openStore(clock: VirtualClock): ObjectStore {
  return openMemoryStore({ clock, log });
}

async function send(server: EmbeddedServer, method: string, path: string, body?: unknown) {
  const request = new Request(`http://podkeep${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await server.fetch(request, ADMIN);
  return { code: response.status, body: await response.text() };
}

test('the first pod can be created as soon as the server is open', async () => {
  const clock = new VirtualClock();
  const server = await open(clock, openStore(clock));
  await promisesSettled();
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const { code, body } = await send(server, 'POST', '/api/v1/namespaces/default/pods', pod);
  expect([code, body]).toEqual([201, expect.stringContaining('kube-root-ca.crt')]);
});

test('the other controllers start when they are run, and stop when the server closes', async () => {
  const clock = new VirtualClock();
  const store = openStore(clock);
  const server = await open(clock, store);
  const isThere = (): boolean => store.get('/core/namespaces/gone') !== undefined;
  const deleteOne = async (): Promise<void> => {
    await send(server, 'POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
    await promisesSettled();
    await send(server, 'DELETE', '/api/v1/namespaces/gone');
    await clock.pass(SOME_TIME_MS);
  };
  await deleteOne();
  expect(isThere()).toBe(true);
  server.run();
  await clock.pass(SOME_TIME_MS);
  expect(isThere()).toBe(false);
  await server.close();
  await deleteOne();
  expect(isThere()).toBe(true);
});

test('a server that is opened a second time writes nothing', async () => {
  const clock = new VirtualClock();
  const store = openStore(clock);
  const first = await open(clock, store);
  await first.announce({ ip: '127.0.0.1', port: 6443 });
  first.run();
  await clock.pass(SOME_TIME_MS);
  await first.close();
  const { revision } = store;
  const second = await open(clock, store);
  await second.announce({ ip: '127.0.0.1', port: 6443 });
  second.run();
  await clock.pass(SOME_TIME_MS);
  expect(store.revision).toBe(revision);
});

test('OpenAPI documents are served on request', async () => {
  const clock = new VirtualClock();
  const server = await open(clock, openStore(clock));
  expect((await send(server, 'GET', '/openapi/v3')).body).toContain('"api/v1"');
  expect((await send(server, 'GET', '/openapi/v9')).code).toBe(404);
  expect((await send(server, 'GET', '/openid/v1/jwks')).body).toContain('"kty":"EC"');
});

test('health is ok, in all and one by one, with the checks that others add', async () => {
  const clock = new VirtualClock();
  const more: HealthCheck[] = [];
  const server = await open(clock, openStore(clock), () => more);
  for (const path of ['/healthz', '/livez', '/readyz', '/livez/ping', '/livez/store']) {
    expect(await send(server, 'GET', path), path).toEqual({ code: 200, body: 'ok' });
  }
  expect((await send(server, 'GET', '/readyz?verbose&exclude=store')).body).toBe(
    '[+]ping ok\n[+]log ok\n[+]store excluded: ok\n[+]shutdown ok\nreadyz check passed\n',
  );
  expect((await send(server, 'GET', '/livez/shutdown')).code).toBe(404);
  more.push({ name: 'disk', endpoints: ['readyz'], check: () => 'full' });
  expect((await send(server, 'GET', '/livez')).code).toBe(200);
  expect(await send(server, 'GET', '/readyz')).toEqual({
    code: 500,
    body:
      '[+]ping ok\n[+]log ok\n[+]store ok\n[+]shutdown ok\n[-]disk failed: reason withheld\n' +
      'readyz check failed\n',
  });
  expect(await send(server, 'GET', '/readyz/disk')).toEqual({
    code: 500,
    body: 'internal server error: full\n',
  });
});

test('a server that closes is alive, and no longer ready', async () => {
  const clock = new VirtualClock();
  const server = await open(clock, openStore(clock));
  const closed = server.close();
  expect((await send(server, 'GET', '/livez')).code).toBe(200);
  const reason = 'internal server error: process is shutting down\n';
  expect(await send(server, 'GET', '/readyz/shutdown')).toEqual({ code: 500, body: reason });
  await closed;
});
