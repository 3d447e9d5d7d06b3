import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import { ObjectPullSecrets } from '../containers/start/object-pull-secrets.ts';
import { fittingCredentials, readRegistryEntries } from './registry-credentials.ts';

const NEVER = new AbortController().signal;

function entriesOf(auths: object) {
  return readRegistryEntries(JSON.stringify({ auths }));
}

test('names and passwords are read in both forms', () => {
  const auth = Buffer.from('me:se:cret').toString('base64');
  expect(
    entriesOf({ 'a.example': { auth }, 'b.example': { username: 'u', password: 'p' } }),
  ).toEqual([
    { host: 'a.example', path: '', credentials: { username: 'me', password: 'se:cret' } },
    { host: 'b.example', path: '', credentials: { username: 'u', password: 'p' } },
  ]);
});

test('the older format is read, and invalid entries are skipped', () => {
  expect(readRegistryEntries('{"a.example":{"username":"u"},"b.example":7}')).toHaveLength(1);
  expect(readRegistryEntries('[]')).toEqual([]);
  expect(readRegistryEntries('{"auths":[]}')).toEqual([]);
});

test.each([
  ['a.example', 'a.example/app:1', true],
  ['a.example', 'b.example/app:1', false],
  ['*.example', 'a.example/app', true],
  ['*.example', 'x.a.example/app', false],
  ['a.example:5000', 'a.example:5000/app', true],
  ['a.example', 'a.example:5000/app', false],
  ['a.example/team', 'a.example/team/app', true],
  ['a.example/team', 'a.example/teammates/app', true],
  ['a.example/team', 'a.example/other/app', false],
  ['a?.example', 'ab.example/app', true],
  ['[ab].example', 'b.example/app', true],
  ['[.example', 'b.example/app', false],
  ['https://a.example/v2/team', 'a.example/team/app', true],
  ['docker.io', 'nginx', true],
  ['index.docker.io', 'a.example/nginx', false],
  ['https://index.docker.io/v1/', 'nginx', true],
  ['https://a.example/v2/', 'a.example/x', true],
])('credentials for %s and the image %s: %s', (registry, image, fits) => {
  const entries = entriesOf({ [registry]: { username: 'u' } });
  expect(fittingCredentials(entries, image)).toHaveLength(fits ? 1 : 0);
});

test('the most specific credentials come first', () => {
  const entries = entriesOf({
    'a.example': { username: 'all' },
    'a.example/team': { username: 'team' },
  });
  expect(fittingCredentials(entries, 'a.example/team/app')).toEqual([
    { username: 'team' },
    { username: 'all' },
  ]);
});

test("Docker's own name for its registry counts if nothing else matches", () => {
  const entries = entriesOf({
    'https://index.docker.io/v1/': { username: 'index' },
    'docker.io/library': { username: 'library' },
  });
  expect(fittingCredentials(entries, 'nginx')).toEqual([{ username: 'library' }]);
  expect(fittingCredentials(entries, 'somebody/app')).toEqual([{ username: 'index' }]);
});

test('pull secrets that are missing or cannot be read are named', async () => {
  const config = JSON.stringify({ auths: { 'a.example': { username: 'u' } } });
  const data = { '.dockerconfigjson': Buffer.from(config).toString('base64') };
  const broken = { '.dockerconfigjson': Buffer.from('{').toString('base64') };
  const secrets = new ObjectPullSecrets({
    log: silentLog,
    objects: {
      get: ({ name }) =>
        name === 'missing'
          ? Promise.reject(new Error('not found'))
          : Promise.resolve({
              type: 'kubernetes.io/dockerconfigjson',
              data: name === 'broken' ? broken : data,
            }),
    },
  });
  const names = ['good', 'missing', 'broken', ''];
  const imagePullSecrets = names.map((name) => ({ name }));
  const found = await secrets.find(livePod('web', { imagePullSecrets }), NEVER);
  expect(found.missing).toEqual(['missing', 'broken']);
  expect(found.credentialsFor('a.example/app')).toEqual([
    { username: 'u', source: { uid: '', namespace: 'rec', name: 'good' } },
  ]);
});

test("a secret counts by its type, and the node's credentials come after all secrets", async () => {
  const encoded = (config: object): string =>
    Buffer.from(JSON.stringify(config)).toString('base64');
  const auths = { 'a.example': { username: 'old' } };
  const objects: Record<string, JsonObject> = {
    old: {
      metadata: { uid: '7' },
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': encoded(auths) },
    },
    opaque: { type: 'Opaque', data: { '.dockerconfigjson': encoded({ auths }) } },
  };
  const secrets = new ObjectPullSecrets({
    log: silentLog,
    objects: { get: ({ name }) => Promise.resolve(objects[name] ?? {}) },
    ofNode: () => Promise.resolve(entriesOf({ 'a.example': { username: 'node' } })),
  });
  const imagePullSecrets = [{ name: 'opaque' }, { name: 'old' }];
  const found = await secrets.find(livePod('web', { imagePullSecrets }), NEVER);
  expect(found.credentialsFor('a.example/app')).toEqual([
    { username: 'old', source: { uid: '7', namespace: 'rec', name: 'old' } },
    { username: 'node' },
  ]);
});
