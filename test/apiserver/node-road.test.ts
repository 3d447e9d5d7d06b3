/** The whole way of an exec: client, our listener, the API server, the dialer, the listener of a kubelet. */
import { once } from 'node:events';
import { onTestFinished, expect, test } from 'vitest';
import { createNetworkKubeletDialer } from '../../src/client/kubelet-dialer.ts';
import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { ListenerHarness, kubeletPair, Source, testPki } from '../support/listener-harness.ts';
import { silentLog as log } from '../support/silent-ports.ts';

const PODS = '/api/v1/namespaces/default/pods';

async function openRoad(kubelet: ListenerHarness): Promise<ListenerHarness> {
  const { kubeletClientCert: cert, kubeletClientKey: key, caCert: ca } = await testPki();
  const kubeletDialer = createNetworkKubeletDialer({ cert, key, ca, log });
  onTestFinished(() => kubeletDialer.close());
  const store = openMemoryStore({ clock, log });
  const random = seededRandom(1);
  const server = new ApiServer({
    ...{ store, clock, random, log, kubeletDialer },
    kinds: builtInKinds,
    version: {},
  });
  const create = (path: string, object: object): Promise<Response> =>
    server.fetch(
      new Request(`http://podkeep${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      }),
    );
  await create('/api/v1/namespaces', { metadata: { name: 'default' } });
  await create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await create('/api/v1/nodes', {
    metadata: { name: 'n1' },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.listener.port } },
    },
  });
  const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }] };
  const { status } = await create(PODS, { metadata: { name: 'p' }, spec });
  expect(status).toBe(201);
  return ListenerHarness.open(
    (request, clientIdentity) => server.answer(request, clientIdentity),
    {},
    (request, connection, clientIdentity) => server.connect(request, connection, clientIdentity),
  );
}

test('an exec reaches the kubelet, and both ends exchange data until one of them closes', async () => {
  const asked: string[] = [];
  const kubelet = await ListenerHarness.open(
    () => ({ status: 404, headers: [], body: null }),
    {},
    async ({ method, url, headers }, { socket }) => {
      asked.push(`${method} ${url.slice(url.indexOf('/', 8))} ${headers.get('upgrade')}`);
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n',
      );
      socket.pipe(socket);
    },
    await kubeletPair('n1'),
  );
  const harness = await openRoad(kubelet);
  const socket = await harness.socket();
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  const ended = once(socket, 'close');
  socket.write(
    `POST ${PODS}/p/exec?command=cat&stdin=1&stdout=1 HTTP/1.1\r\nhost: a\r\n` +
      'connection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n',
  );
  while (!received.includes('\r\n\r\n')) await once(socket, 'data');
  socket.write('are you there?');
  while (!received.endsWith('there?')) await once(socket, 'data');
  socket.end();
  await ended;
  expect(received).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n[\s\S]*are you there\?$/);
  expect(asked).toEqual(['POST /exec/default/p/main?input=1&output=1&command=cat SPDY/3.1']);
});

test('a followed log ends for the kubelet when the client disconnects', async () => {
  const source = new Source(Buffer.from('first line\n'));
  const kubelet = await ListenerHarness.open(
    () => source.response,
    {},
    undefined,
    await kubeletPair('n1'),
  );
  const harness = await openRoad(kubelet);
  const stream = (await harness.session()).request({ ':path': `${PODS}/p/log?follow=true` });
  const [first] = await once(stream, 'data');
  expect(String(first)).toBe('first line\n');
  source.send('second line\n');
  const [second] = await once(stream, 'data');
  expect(String(second)).toBe('second line\n');
  stream.destroy();
  await expect(source.cancelled).resolves.toBeUndefined();
});
