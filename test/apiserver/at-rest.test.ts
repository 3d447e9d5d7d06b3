import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import type { ProviderConfig } from '../../src/apiserver/at-rest/encryption-config.ts';
import { createEncryption, type Encryption } from '../../src/apiserver/at-rest/encryption.ts';
import { accessHandlers, createAccess } from '../../src/apiserver/auth/access-control.ts';
import { writeToken } from '../../src/apiserver/objects/json-web-token.ts';
import { openSigningKey } from '../../src/apiserver/objects/signing-key.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openLmdbStore, type LmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { readUrl } from '../../src/apiserver/requests/request-url.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { systemRandom as random } from '../../src/platform/system-random.ts';
import { silentLog as log } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const SECRETS = 'https://localhost/api/v1/namespaces/default/secrets';
const NAMESPACES = 'https://localhost/api/v1/namespaces';
const IGNORE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';

function secrets(...providers: readonly ProviderConfig[]): Encryption {
  return createEncryption([{ resources: [{ group: '', resource: 'secrets' }], providers }], random);
}

function key(name: string): ProviderConfig {
  return { type: 'secretbox', keys: [{ name, secret: Buffer.alloc(32, name) }] };
}

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-at-rest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(folder: string, encryption: Encryption) {
  const clock = new VirtualClock();
  const store = await openLmdbStore({ folder, clock, log, encryption });
  onTestFinished(() => store.close());
  const server = new ApiServer({ store, clock, random, log, kinds: builtInKinds, version: {} });
  const send = async (method: string, url: string, body?: JsonObject, user?: string) => {
    const init = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    const identity = user === undefined ? {} : { user: { name: user, groups: [] } };
    const answer = await server.fetch(new Request(url, { method, ...init }), identity);
    return { code: answer.status, body: (await answer.json()) as JsonObject };
  };
  return { store, send };
}

/** A store in which the Secret `lost` was written with a key that is gone, and `kept` was not. */
async function makeHalfLost(folder: string): Promise<void> {
  const before = secrets(key('lost'));
  const after = secrets(key('kept'));
  const mixed: Encryption = {
    fingerprint: 'both',
    seal: (name, text) => (name.endsWith('/lost') ? before : after).seal(name, text),
    open: (name, bytes) => (name.endsWith('/lost') ? before : after).open(name, bytes),
    isStale: () => false,
  };
  const { store, send } = await open(folder, mixed);
  await send('POST', NAMESPACES, { metadata: { name: 'default' } });
  for (const name of ['lost', 'kept']) {
    expect((await send('POST', SECRETS, { metadata: { name } })).code).toBe(201);
  }
  await store.close();
}

test('an object that cannot be decrypted is answered with 500, and all others are served', async () => {
  const folder = makeFolder();
  await makeHalfLost(folder);
  const { send } = await open(folder, secrets(key('kept')));
  const reason = 'no matching key was found for the provided Secretbox transformer';
  expect(await send('GET', `${SECRETS}/lost`)).toMatchObject({
    code: 500,
    body: { reason: 'InternalError', message: `Internal error occurred: ${reason}` },
  });
  expect(await send('GET', SECRETS)).toMatchObject({
    code: 500,
    body: {
      message: `Internal error occurred: unable to transform key "/core/secrets/default/lost": ${reason}`,
    },
  });
  expect((await send('GET', `${SECRETS}/kept`)).code).toBe(200);
  expect((await send('POST', SECRETS, { metadata: { name: 'new' } })).code).toBe(201);
  expect((await send('PUT', `${SECRETS}/lost`, { metadata: { name: 'lost' } })).code).toBe(500);
  expect((await send('DELETE', `${SECRETS}/lost`)).code).toBe(500);
  expect((await send('DELETE', `${SECRETS}/lost?${IGNORE}`, undefined, 'jane')).code).toBe(403);
  expect((await send('DELETE', `${SECRETS}/lost?${IGNORE}`)).code).toBe(200);
  expect((await send('GET', SECRETS)).body['items']).toHaveLength(2);
  expect((await send('DELETE', `${SECRETS}/kept?${IGNORE}`)).code).toBe(200);
});

test('a stale object is written again by an update that changes nothing', async () => {
  const folder = makeFolder();
  const { store, send } = await open(folder, secrets(key('one')));
  await send('POST', NAMESPACES, { metadata: { name: 'default' } });
  const { body: made } = await send('POST', SECRETS, { metadata: { name: 'a' } });
  const version = (object: JsonObject): unknown =>
    (object['metadata'] as JsonObject)['resourceVersion'];
  const unchanged = await send('PUT', `${SECRETS}/a`, made);
  expect(version(unchanged.body)).toBe(version(made));
  const stale = staleUntil(store, async () => send('PUT', `${SECRETS}/a`, made));
  expect(version((await stale).body)).not.toBe(version(made));
});

/** While the new key is used already, and the file is not written yet. */
async function staleUntil<Result>(store: LmdbStore, act: () => Promise<Result>): Promise<Result> {
  const done = store.encryptWith(secrets(key('two'), key('one')));
  const result = await act();
  await done;
  return result;
}

test('tokens of an earlier key are valid until that key is removed', async () => {
  const [before, now] = [0, 1].map(() => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  });
  if (before === undefined || now === undefined) throw new Error('two keys');
  const clock = new VirtualClock();
  const store = openMemoryStore({ clock, log });
  const account = { metadata: { name: 'a', namespace: 'default', uid: 'u' } };
  await store.commit([{ key: '/core/serviceaccounts/default/a', make: () => account }]);
  const make = (verifyingKeys: readonly string[]) =>
    createAccess(
      { store, clock, random, log },
      { signingKey: now, verifyingKeys, mode: 'AlwaysAllow' },
    );
  const [both, alone] = [make([before, now]), make([])];
  const seconds = Math.floor(clock.now() / 1000);
  const token = writeToken(openSigningKey(before), {
    iss: both.issuer,
    aud: [both.issuer],
    sub: 'system:serviceaccount:default:a',
    exp: seconds + 600,
    iat: seconds,
    nbf: seconds,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'a', uid: 'u' } },
  });
  expect(both.authenticator.review(token, both.audiences)).toMatchObject({
    user: { name: 'system:serviceaccount:default:a' },
  });
  expect(alone.authenticator.review(token, alone.audiences)).toMatchObject({
    refusal: expect.stringContaining('invalid signature, no keys found'),
  });
  const request = new Request('https://localhost/openid/v1/jwks');
  const page = await accessHandlers(both)(request, readUrl(request.url));
  const { keys } = JSON.parse(typeof page?.body === 'string' ? page.body : '') as {
    keys: readonly JsonObject[];
  };
  const ids = [now, before].map((pem) => openSigningKey(pem).id);
  expect(keys.map(({ kid }) => kid)).toEqual(ids);
});
