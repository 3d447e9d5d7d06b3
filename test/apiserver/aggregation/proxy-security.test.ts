/** What a client must not reach, learn or pretend through an aggregated API server. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  AggregationHarness,
  apiService,
  API_SERVICES,
  FLUNDERS,
  ROOT,
  tokenOf,
} from './aggregation-harness.ts';

test('a user without the right is refused before the other server is asked', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  for (const path of [FLUNDERS, `${FLUNDERS}/a`, `${FLUNDERS}?watch=1`, `${FLUNDERS}/a/swim`]) {
    expect((await harness.get(path, 'nobody')).code).toBe(403);
  }
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  expect((await harness.get(`${FLUNDERS}/a/swim`, 'nobody', headers)).code).toBe(403);
  expect((await harness.get(FLUNDERS, 'unknown')).code).toBe(401);
  expect(harness.backend.requests).toEqual([]);
});

test('no credential and no identity of the client goes on', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.allow('reader', ['get']);
  const forged = {
    'X-Remote-User': 'root',
    'x-remote-uid': '0',
    'X-Remote-Group': 'system:masters',
    X_Remote_Group: 'system:masters',
    'X-Remote-Extra-Scopes': 'all',
    'X-Forwarded-Host': 'forged.example',
    'X-HTTP-Method-Override': 'DELETE',
    Connection: 'X-Remote-User, X-Remote-Group, close',
    'Sec-WebSocket-Protocol': `base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel`,
  };
  expect((await harness.get(`${FLUNDERS}/a`, 'reader', forged)).code).toBe(200);
  const { headers, rawHeaders } = harness.backend.requests.at(-1) ?? {};
  const all = JSON.stringify(rawHeaders).toLowerCase();
  for (const secret of [
    'system:masters',
    '"root"',
    'scopes',
    'bearer',
    'forged',
    'delete',
    'token-of',
  ]) {
    expect(all).not.toContain(secret);
  }
  expect(headers).toMatchObject({
    'x-remote-user': 'reader',
    'x-remote-group': 'fishers, sea, deep, system:authenticated',
    'sec-websocket-protocol': 'v4.channel',
  });
});

test('the same holds for an upgrade', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const forged = {
    connection: 'Upgrade, X-Remote-User, X-Remote-Group',
    upgrade: 'echo',
    'x-remote-group': 'forged',
    'x-remote-user': 'forged',
  };
  const outgoing = harness.request('GET', `${FLUNDERS}/a/swim`, 'admin', forged);
  outgoing.end();
  const [, socket] = await once(outgoing, 'upgrade');
  socket.destroy();
  const { headers, rawHeaders } = harness.backend.requests.at(-1) ?? {};
  expect(headers).toMatchObject({ 'x-remote-user': 'admin', connection: 'Upgrade' });
  expect(JSON.stringify(rawHeaders)).not.toMatch(/forged|token-of/);
});

test('a user who impersonates another is that other one there, and the headers end here', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.allow('alice', ['get']);
  const headers = { 'impersonate-user': 'alice', 'impersonate-group': 'g' };
  expect((await harness.get(`${FLUNDERS}/a`, 'admin', headers)).code).toBe(200);
  expect((await harness.get(FLUNDERS, 'admin', headers)).code).toBe(403);
  const seen = harness.backend.requests.at(-1)?.headers ?? {};
  expect(seen['x-remote-user']).toBe('alice');
  expect(Object.keys(seen).filter((name) => name.startsWith('impersonate'))).toEqual([]);
});

const AMBIGUOUS = [
  `${ROOT}/namespaces/default/../kube-system/flunders`,
  `${ROOT}/namespaces/default/%2e%2e/kube-system/flunders`,
  `${ROOT}/namespaces/default/flunders/a%2f..%2fb`,
  `${ROOT}/namespaces/default/flunders/a%5c..%5cb`,
  `${ROOT}/namespaces/default/flunders/%252e%252e`,
  `${ROOT}//namespaces/default/flunders`,
  `${ROOT}/namespaces//flunders`,
  `${ROOT}/namespaces/default/flunders/`,
  `${ROOT}/namespaces/default/flunders/a/proxy/../../b`,
  `${ROOT}/.`,
];

test('a path that the other server may read in another way is refused', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  for (const path of AMBIGUOUS) expect([path, (await harness.get(path)).code]).toEqual([path, 400]);
  expect(harness.backend.requests).toEqual([]);
});

test('every value of watch that Kubernetes takes for a yes needs the right to watch', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.allow('lister', ['list']);
  for (const value of [
    'watch=1',
    'watch=true',
    'watch=yes',
    'watch=T',
    'watch=',
    'watch=0&watch=1',
  ]) {
    const { code } = await harness.get(`${FLUNDERS}?${value}`, 'lister');
    expect([value, code]).toEqual([value, 403]);
  }
  expect((await harness.get(`${FLUNDERS}?watch=0`, 'lister')).code).toBe(200);
});

test('two field selectors, of which each server may choose another, are refused', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const selectors = 'fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db';
  expect((await harness.get(`${FLUNDERS}?${selectors}`)).code).toBe(400);
});

test('a name that a header cannot carry unchanged is refused, not shortened', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.allow('reader ', ['get']);
  const { code, text } = await harness.get(`${FLUNDERS}/a`, 'reader ');
  expect([code, text]).toEqual([
    503,
    'error trying to reach service: net/http: invalid header field value for "X-Remote-User"\n',
  ]);
  expect(harness.backend.requests).toEqual([]);
  expect(tokenOf('reader ')).not.toBe(tokenOf('reader'));
});

test.each([
  ['a loopback address that the node did not give to the pod', { app: 'fish' }, '127.0.0.1', []],
  ['a loopback address of a Service without a selector', {}, '127.0.0.1', ['127.0.0.1']],
  ['a link-local address', {}, '169.254.169.254', []],
  ['an address that the pod does not report', { app: 'fish' }, '10.9.8.7', ['127.0.0.1']],
])('%s is not dialled', async (_case, selector, address, own) => {
  const harness = await AggregationHarness.open();
  harness.ownAddresses = own;
  await harness.expose(harness.backend.port, selector, '127.0.0.1');
  if (address !== '127.0.0.1') {
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/wardle';
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'fish' };
    const endpoints = [{ addresses: [address], conditions: { ready: true }, targetRef }];
    await harness.send('PATCH', path, { body: { endpoints } });
  }
  await harness.admin(
    'POST',
    API_SERVICES,
    apiService({ insecureSkipTLSVerify: true, caBundle: null }),
  );
  const condition = await harness.settle('v1.wardle.example.com', 'FailedDiscoveryCheck');
  expect(condition['message']).toBe('no endpoints available for service "wardle"');
  expect((await harness.get(FLUNDERS)).code).toBe(503);
  expect(harness.backend.seen).toEqual([]);
});

test.each(['core', 'apiregistration.k8s.io'])(
  'the group %s stays with this server, and the write of its APIService says so',
  async (name) => {
    const harness = await AggregationHarness.open();
    await harness.expose(harness.backend.port);
    const group = name === 'core' ? '' : name;
    const { spec } = apiService({ group, caBundle: null, insecureSkipTLSVerify: true });
    const written = { metadata: { name: `v1.${group}` }, spec };
    const { headers } =
      name === 'core'
        ? await harness.send('PATCH', `${API_SERVICES}/v1.`, { body: { spec } })
        : await harness.admin('POST', API_SERVICES, written);
    expect(String(headers['warning'])).toContain('podkeep serves this group itself');
    expect((await harness.get('/api/v1/namespaces/default')).code).toBe(200);
    expect((await harness.get(API_SERVICES)).code).toBe(200);
    expect(harness.backend.seen).toEqual([]);
  },
);
