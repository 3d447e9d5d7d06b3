/** Requests for a version that an aggregated API server serves. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import {
  AggregationHarness,
  apiService,
  API_SERVICES,
  Backend,
  FLUNDERS,
  OTHER_CA,
  ROOT,
} from './aggregation-harness.ts';

test('a user gets an object, a list and the resources of the other server', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  expect((await harness.get(`${FLUNDERS}/a`)).body).toMatchObject({ kind: 'Flunder' });
  expect((await harness.get(FLUNDERS)).body).toMatchObject({ kind: 'FlunderList' });
  expect((await harness.get(ROOT)).body).toMatchObject({ kind: 'APIResourceList' });
  expect((await harness.get(`${FLUNDERS}/b`)).code).toBe(404);
});

test('the other server sees the front proxy, and who the user is', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.allow('reader', ['get']);
  expect((await harness.get(`${FLUNDERS}/a?x=1`, 'reader')).code).toBe(200);
  const { client, headers, rawHeaders, url } = harness.backend.requests.at(-1) ?? {};
  expect(client).toBe('front-proxy-client');
  expect(url).toBe(`${FLUNDERS}/a?x=1`);
  expect(headers).toMatchObject({ 'x-remote-user': 'reader', 'x-remote-uid': 'u-1' });
  const lines = (rawHeaders ?? []).flatMap((name, index) =>
    name.startsWith('x-remote-') && index % 2 === 0 ? `${name}: ${rawHeaders?.[index + 1]}` : [],
  );
  expect(lines).toEqual([
    'x-remote-user: reader',
    'x-remote-uid: u-1',
    'x-remote-group: fishers',
    'x-remote-group: sea, deep',
    'x-remote-group: system:authenticated',
    'x-remote-extra-a%2fb%25: x',
    'x-remote-extra-a%2fb%25: y',
  ]);
});

test('a body goes on, with its type', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  await harness.admin('POST', FLUNDERS, { kind: 'Flunder', name: 'ä' });
  const { method, body, headers } = harness.backend.requests.at(-1) ?? {};
  expect([method, body]).toEqual(['POST', '{"kind":"Flunder","name":"ä"}']);
  expect(headers?.['content-type']).toBe('application/json');
});

test('a body above the limit of all requests is refused here', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const { code } = await harness.admin('POST', FLUNDERS, { text: 'x'.repeat(4 * 1024 * 1024) });
  expect(code).toBe(413);
  expect(harness.backend.requests).toEqual([]);
});

test('a watch is a stream, and ends at the other server when the client leaves', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const closed = new Promise<void>((resolve) => {
    harness.backend.handle = (request, response) => {
      if (request.url?.includes('watch=1')) response.once('close', resolve);
      return false;
    };
  });
  const response = await harness.open('GET', `${FLUNDERS}?watch=1`);
  const [chunk] = (await once(response, 'data')) as [Buffer];
  expect(JSON.parse(chunk.toString())).toMatchObject({ type: 'ADDED' });
  response.destroy();
  await closed;
});

test('a watch has no time limit, and other requests have one', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  harness.backend.handle = ({ url = '' }) => url.endsWith('/slow');
  const watch = await harness.open('GET', `${FLUNDERS}?watch=1`);
  watch.on('data', () => {});
  const slow = harness.get(`${FLUNDERS}/slow`);
  await vi.waitFor(() => expect(harness.backend.requests.at(-1)?.url).toMatch(/slow$/));
  await harness.clock.pass(60_000);
  const { code, body } = await slow;
  expect([code, body['reason']]).toEqual([504, 'Timeout']);
  expect(watch.destroyed).toBe(false);
  watch.destroy();
});

test('a client that leaves before the answer ends the request at the other server', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const closed = new Promise<void>((resolve) => {
    harness.backend.handle = ({ url = '' }, response) => {
      if (!url.endsWith('/slow')) return false;
      response.once('close', resolve);
      return true;
    };
  });
  const outgoing = harness.request('GET', `${FLUNDERS}/slow`, 'admin');
  outgoing.on('error', () => {}).end();
  await vi.waitFor(() => expect(harness.backend.requests).not.toEqual([]));
  outgoing.destroy();
  await closed;
});

test('a redirect is handed to the client, and not followed', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  harness.backend.handle = ({ url = '' }, response) => {
    if (!url.endsWith('/moved')) return false;
    const headers = { location: 'https://elsewhere.example/x', 'access-control-allow-origin': '*' };
    response.writeHead(302, headers).end();
    return true;
  };
  const { code, headers } = await harness.get(`${FLUNDERS}/moved`);
  expect([code, headers.location]).toEqual([302, 'https://elsewhere.example/x']);
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('an upgrade joins the client and the other server', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const outgoing = harness.request('GET', `${FLUNDERS}/a/swim`, 'admin', headers);
  outgoing.end();
  const [message, socket] = (await once(outgoing, 'upgrade')) as [IncomingMessage, Duplex];
  expect([message.statusCode, message.headers.upgrade]).toEqual([101, 'echo']);
  socket.write('hello');
  const [echo] = (await once(socket, 'data')) as [Buffer];
  expect(echo.toString()).toBe('hello');
  const { client, headers: seen } = harness.backend.requests.at(-1) ?? {};
  expect([client, seen?.['x-remote-user']]).toEqual(['front-proxy-client', 'admin']);
  expect(seen).not.toHaveProperty('authorization');
  socket.destroy();
});

test('the refusal of an upgrade is the answer', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  harness.backend.upgrade = (_request, socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  };
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const { code, text } = await harness.get(`${FLUNDERS}/a/swim`, 'admin', headers);
  expect([code, text]).toEqual([403, 'no']);
});

test('without an available server the answer is that of kube-aggregator', async () => {
  const harness = await AggregationHarness.open();
  await harness.admin('POST', API_SERVICES, apiService());
  await harness.settle('v1.wardle.example.com', 'ServiceNotFound');
  for (const path of [FLUNDERS, ROOT]) {
    const { code, text, headers } = await harness.get(path);
    expect([code, text]).toEqual([503, 'service unavailable\n']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  }
});

test('a server that has died since its check cannot be reached, and the client learns why', async () => {
  const harness = await AggregationHarness.open();
  await harness.register();
  harness.backend.server.closeAllConnections();
  await new Promise((resolve) => harness.backend.server.close(resolve));
  const { code, text } = await harness.get(FLUNDERS);
  expect(code).toBe(503);
  expect(text).toMatch(
    /^error trying to reach service: dial tcp .*: connect: connection refused\n$/,
  );
});

test.each([
  ['for another name', new Backend('other.default.svc'), {}, /certificate is not valid for wardle/],
  [
    'of another authority',
    new Backend(),
    { caBundle: Buffer.from(OTHER_CA).toString('base64') },
    /certificate signed by unknown authority/,
  ],
  ['of an authority that the system does not know', new Backend(), { caBundle: null }, /x509/],
])('a certificate %s is refused', async (_case, backend, fields, message) => {
  const harness = await AggregationHarness.open(backend);
  await harness.register(fields);
  const condition = await harness.settle('v1.wardle.example.com', 'FailedDiscoveryCheck');
  expect(condition['message']).toMatch(message);
  expect((await harness.get(FLUNDERS)).code).toBe(503);
  expect(backend.seen).toEqual([]);
});

test('with insecureSkipTLSVerify any certificate will do', async () => {
  const harness = await AggregationHarness.open(new Backend('other.default.svc'));
  await harness.register({ insecureSkipTLSVerify: true, caBundle: null });
  await harness.settle('v1.wardle.example.com', 'Passed');
  expect((await harness.get(FLUNDERS)).code).toBe(200);
});
