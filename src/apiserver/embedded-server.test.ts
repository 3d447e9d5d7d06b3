import { generateKeyPairSync } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog as log } from '../../test/support/silent-ports.ts';
import { promisesSettled, VirtualClock } from '../../test/support/virtual-clock.ts';
import { seededRandom } from '../platform/seeded-random.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { openEmbeddedServer, type EmbeddedServer } from './embedded-server.ts';
import { openMemoryStore } from './store/memory-store.ts';

const { privateKey: signingKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const SOME_TIME_MS = 2_000;
const ADMIN = { user: { name: 'admin', groups: ['system:masters'] } };

async function open(clock: VirtualClock, store: ObjectStore): Promise<EmbeddedServer> {
  const access = { signingKey, mode: 'RBAC' } as const;
  const world = { store, clock, random: seededRandom(1), log };
  const server = await openEmbeddedServer({
    ...world,
    version: { major: '1' },
    access,
    caCert: 'ca',
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

test('the other controllers begin when they are told to, and stop when it closes', async () => {
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

test('a server that was opened a second time writes nothing', async () => {
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

test('documents about kinds are there when somebody asks', async () => {
  const clock = new VirtualClock();
  const server = await open(clock, openStore(clock));
  expect((await send(server, 'GET', '/openapi/v3')).body).toContain('"api/v1"');
  expect((await send(server, 'GET', '/openapi/v9')).code).toBe(404);
  expect((await send(server, 'GET', '/openid/v1/jwks')).body).toContain('"kty":"EC"');
});
