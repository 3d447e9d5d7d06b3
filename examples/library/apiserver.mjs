// podkeep/apiserver: a Kubernetes API in this process, as a function from a Request to a Response.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { systemClock, systemRandom } from 'podkeep';
import { openEmbeddedServer, openMemoryObjectStore } from 'podkeep/apiserver';

const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const store = openMemoryObjectStore({ clock: systemClock, log });
const server = await openEmbeddedServer({
  store,
  clock: systemClock,
  random: systemRandom,
  log,
  version: { major: '1', minor: '36' },
  access: { signingKey: privateKey, mode: 'RBAC' },
  caCert: 'the certificate that pods are given',
});

const admin = { user: { name: 'admin', groups: ['system:masters'] } };
const configMaps = 'http://cluster/api/v1/namespaces/default/configmaps';
const create = new Request(configMaps, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ metadata: { name: 'colours' }, data: { sky: 'blue' } }),
});
assert.equal((await server.fetch(create, admin)).status, 201);
const found = await server.fetch(new Request(`${configMaps}/colours`), admin);
const { data } = await found.json();
assert.deepEqual(data, { sky: 'blue' });
const refused = await server.fetch(new Request(configMaps));
assert.equal(refused.status, 401, 'a client that does not say who it is gets nothing');
await server.close();
await store.close();
console.log('apiserver: ok');
