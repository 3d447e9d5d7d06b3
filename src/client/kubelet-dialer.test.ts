import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { duplexPair } from 'node:stream';
import {
  ListenerHarness,
  echo,
  kubeletPair,
  Source,
  text,
} from '../../test/support/listener-harness.ts';
import { silentLog } from '../../test/support/silent-ports.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KeyPair } from '../apiserver/pki/pki.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ApiRequest, ApiResponse, ClientIdentity } from '../ports/api/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { Backend } from '../ports/api/kubelet-dialer.ts';
import { createNetworkKubeletDialer, type NetworkKubeletDialer } from './kubelet-dialer.ts';

/** A listener like ours stands in for a kubelet. */
function nodeAt({ listener }: ListenerHarness): Backend {
  return { type: 'kubelet', node: nodeOf('127.0.0.1', listener.port) };
}

function nodeOf(address: string, port: number, name = 'n1'): JsonObject {
  return {
    metadata: { name },
    status: {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  };
}

function dialerFor(
  { pki }: ListenerHarness,
  ca?: string,
  log: Log = silentLog,
): NetworkKubeletDialer {
  const { kubeletClientCert: cert, kubeletClientKey: key } = pki;
  const dialer = createNetworkKubeletDialer({ cert, key, log, ...(ca !== undefined && { ca }) });
  onTestFinished(() => dialer.close());
  return dialer;
}

/** A kubelet that shows this certificate; absent: the one of the API server. */
function openKubelet(pair?: KeyPair): Promise<ListenerHarness> {
  return ListenerHarness.open(() => text('hello'), {}, undefined, pair);
}

function ask(method: string, path: string, body?: string): ApiRequest {
  const headers = new Headers({ 'x-a': '1' });
  const chunks = body === undefined ? null : [Buffer.from(body)];
  const stream =
    chunks &&
    (async function* () {
      yield* chunks;
    })();
  return { method, url: `https://node${path}`, headers, body: stream };
}

describe('requests', () => {
  test('reach the kubelet at the address of its node, and return its answer', async () => {
    const harness = await ListenerHarness.open(echo);
    const answer = await dialerFor(harness).fetch(
      nodeAt(harness),
      ask('POST', '/x/%2e%2e?y=z', 'in'),
    );
    expect(answer.status).toBe(200);
    expect(new Map(answer.headers).get('content-type')).toBe('text/plain');
    const given: unknown = JSON.parse(await new Response(answer.body).text());
    expect(given).toEqual({
      method: 'POST',
      path: '/x/%2e%2e?y=z',
      a: '1',
      hasBody: true,
      body: 'in',
    });
  });

  test('are made with a certificate', async () => {
    const clientIdentities: ClientIdentity[] = [];
    const harness = await ListenerHarness.open((_request, clientIdentity) => {
      clientIdentities.push(clientIdentity);
      return text('');
    });
    const { body } = await dialerFor(harness).fetch(nodeAt(harness), ask('GET', '/'));
    await new Response(body).text();
    expect(clientIdentities[0]?.certificate).toBeInstanceOf(Uint8Array);
  });

  test('a Host header does not choose which certificate is the right one', async () => {
    const harness = await openKubelet(await kubeletPair('n1'));
    const dialer = dialerFor(harness, harness.pki.caCert);
    const headers = new Headers({ host: 'elsewhere.example' });
    const { status } = await dialer.fetch(nodeAt(harness), { ...ask('GET', '/'), headers });
    expect(status).toBe(200);
    const byName: Backend = { type: 'kubelet', node: nodeOf('localhost', harness.listener.port) };
    expect((await dialer.fetch(byName, { ...ask('GET', '/'), headers })).status).toBe(200);
  });

  test('a client that stops reading makes the kubelet stop writing', async () => {
    const source = new Source(Buffer.from('x'));
    const harness = await ListenerHarness.open(() => source.response);
    const { body } = await dialerFor(harness).fetch(nodeAt(harness), ask('GET', '/'));
    expect(body).toBeInstanceOf(ReadableStream);
    if (body instanceof ReadableStream) await body.cancel();
    await source.cancelled;
  });

  test('go to a pod over plain HTTP as well', async () => {
    const server = createServer((_request, response) => void response.end('from the pod'));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const harness = await ListenerHarness.open(echo);
    const pod: Backend = { type: 'address', scheme: 'http', host: '127.0.0.1', port };
    const { body } = await dialerFor(harness).fetch(pod, ask('GET', '/'));
    expect(await new Response(body).text()).toBe('from the pod');
  });

  test('a node that cannot be reached, or has no address, is an error with its reason', async () => {
    const harness = await ListenerHarness.open(echo);
    await harness.listener.close();
    const dialer = dialerFor(harness);
    await expect(dialer.fetch(nodeAt(harness), ask('GET', '/'))).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const nowhere: Backend = { type: 'kubelet', node: {} };
    await expect(dialer.fetch(nowhere, ask('GET', '/'))).rejects.toThrow(
      'no preferred addresses found',
    );
  });
});

describe('the certificate of a kubelet', () => {
  function listening(): { readonly log: Log; readonly warned: unknown[] } {
    const warned: unknown[] = [];
    return { warned, log: { ...silentLog, warn: (_message, facts) => void warned.push(facts) } };
  }

  test('that the cluster signed for this node and address is verified', async () => {
    const harness = await openKubelet(await kubeletPair('n1'));
    const { log, warned } = listening();
    const dialer = dialerFor(harness, harness.pki.caCert, log);
    expect((await dialer.fetch(nodeAt(harness), ask('GET', '/'))).status).toBe(200);
    expect(warned).toEqual([]);
  });

  test('that the kubelet signed itself is accepted, and logged once for each node', async () => {
    const harness = await openKubelet(await kubeletPair('n1', { isSigned: false }));
    const { log, warned } = listening();
    const dialer = dialerFor(harness, harness.pki.caCert, log);
    for (let count = 0; count < 3; count += 1) {
      expect((await dialer.fetch(nodeAt(harness), ask('GET', '/'))).status).toBe(200);
    }
    expect(warned).toEqual([{ node: 'n1', address: '127.0.0.1' }]);
  });

  test.each([
    ['the API server', undefined, '"kube-apiserver", not of system:node:n1'],
    ['another node', kubeletPair('n2'), '"system:node:n2", not of system:node:n1'],
    ['the node at another address', kubeletPair('n1', { addresses: ['192.0.2.1'] }), '127.0.0.1'],
  ])('that the cluster signed for %s is refused, and nothing is sent', async (_name, pair, why) => {
    let requests = 0;
    const count = (): ApiResponse => ((requests += 1), text('hello'));
    const harness = await ListenerHarness.open(count, {}, undefined, await pair);
    const asked = dialerFor(harness, harness.pki.caCert).fetch(nodeAt(harness), ask('GET', '/'));
    await expect(asked).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: expect.stringContaining(why),
    });
    expect(requests).toBe(0);
  });

  test('is checked for each node, though they name one address', async () => {
    const harness = await openKubelet(await kubeletPair('n1'));
    const dialer = dialerFor(harness, harness.pki.caCert);
    await new Response((await dialer.fetch(nodeAt(harness), ask('GET', '/'))).body).text();
    const other = nodeOf('127.0.0.1', harness.listener.port, 'n2');
    await expect(
      dialer.fetch({ type: 'kubelet', node: other }, ask('GET', '/')),
    ).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
  });

  test('is never asked for if a name leads to this machine and must not', async () => {
    const harness = await openKubelet(await kubeletPair('n1'));
    const node = nodeOf('localhost', harness.listener.port);
    await expect(
      dialerFor(harness).fetch({ type: 'kubelet', node, isRemote: true }, ask('GET', '/')),
    ).rejects.toThrow('address not allowed');
  });
});

describe('other protocols', () => {
  const upgrade = (path: string): ApiRequest => ({
    method: 'POST',
    url: `https://node${path}`,
    headers: new Headers({ connection: 'Upgrade', upgrade: 'echo' }),
    body: null,
  });

  test('the two ends are joined, including bytes that were sent early', async () => {
    const harness = await ListenerHarness.open(echo, {}, async ({ url }, { socket, head }) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\nx-b: 2\r\n\r\n',
      );
      socket.write(`${url.slice(url.indexOf('/', 8))} ${String(head)};`);
      socket.pipe(socket);
    });
    const [client, socket] = duplexPair();
    const head = Buffer.from('early');
    const over = dialerFor(harness).connect(nodeAt(harness), upgrade('/exec/a/b/c?command=ls'), {
      socket,
      head,
    });
    let received = '';
    client.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    while (!received.includes('early')) await once(client, 'data');
    client.end('later');
    await over;
    expect(received).toMatch(
      /^HTTP\/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\nx-b: 2\r\n/,
    );
    expect(received).toMatch(/\r\n\r\n\/exec\/a\/b\/c\?command=ls ;earlylater$/);
  });

  test('the refusal of a kubelet is passed to the client', async () => {
    const harness = await ListenerHarness.open(echo, {}, async (_request, { socket }) => {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
    });
    const [client, socket] = duplexPair();
    const head = Buffer.alloc(0);
    const over = dialerFor(harness).connect(nodeAt(harness), upgrade('/'), { socket, head });
    let received = '';
    for await (const chunk of client.setEncoding('utf8')) received += chunk;
    await over;
    expect(received).toBe('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\nno');
  });

  test('a plain answer to an upgrade is an error', async () => {
    const harness = await ListenerHarness.open(echo, {}, async (_request, { socket }) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const [, socket] = duplexPair();
    await expect(
      dialerFor(harness).connect(nodeAt(harness), upgrade('/'), { socket, head: Buffer.alloc(0) }),
    ).rejects.toThrow('invalid upgrade response: status code 200');
  });
});
