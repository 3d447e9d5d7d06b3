import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { ObjectPullSecrets } from './object-pull-secrets.ts';
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

test('the older file, and what is no entry, are understood', () => {
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
  ['a.example/team', 'a.example/teammates/app', false],
  ['https://index.docker.io/v1/', 'nginx', true],
  ['https://a.example/v2/', 'a.example/x', true],
])('credentials for %s and the image %s: %s', (registry, image, fits) => {
  const entries = entriesOf({ [registry]: { username: 'u' } });
  expect(fittingCredentials(entries, image)).toHaveLength(fits ? 1 : 0);
});

test('the most exact credentials come first', () => {
  const entries = entriesOf({
    'a.example': { username: 'all' },
    'a.example/team': { username: 'team' },
  });
  expect(fittingCredentials(entries, 'a.example/team/app')).toEqual([
    { username: 'team' },
    { username: 'all' },
  ]);
});

test('pull secrets that are not there or cannot be read are named', async () => {
  const config = JSON.stringify({ auths: { 'a.example': { username: 'u' } } });
  const data = { '.dockerconfigjson': Buffer.from(config).toString('base64') };
  const broken = { '.dockerconfigjson': Buffer.from('{').toString('base64') };
  const secrets = new ObjectPullSecrets({
    log: silentLog,
    objects: {
      get: ({ name }) =>
        name === 'missing'
          ? Promise.reject(new Error('not found'))
          : Promise.resolve({ data: name === 'broken' ? broken : data }),
    },
  });
  const names = ['good', 'missing', 'broken', ''];
  const imagePullSecrets = names.map((name) => ({ name }));
  const found = await secrets.find(livePod('web', { imagePullSecrets }), NEVER);
  expect(found.missing).toEqual(['missing', 'broken']);
  expect(found.credentialsFor('a.example/app')).toEqual([{ username: 'u' }]);
});
