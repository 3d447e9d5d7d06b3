import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ListenerHarness, text } from '../../../test/support/listener-harness.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { createPki } from '../../apiserver/pki/pki.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { ApiRequest, ClientIdentity } from '../../ports/api/http-handler.ts';
import type { ClusterAccess } from '../kubeconfig/cluster-access.ts';
import type { CredentialsPorts } from '../kubeconfig/credentials.ts';
import { createHttpsTransport } from './https-transport.ts';
import type { Transport, WireResponse } from './transport.ts';

const GET = { method: 'GET', target: '/api/v1/pods?limit=1', headers: {}, body: null };
const never = (): AbortSignal => new AbortController().signal;

function transportTo(
  server: string,
  access: Partial<ClusterAccess> = {},
  clock = new VirtualClock(),
  certificate?: CredentialsPorts['certificate'],
): Transport {
  const full = {
    server,
    insecureSkipTlsVerify: false,
    namespace: 'default',
    user: { headers: {} },
    ...access,
  };
  const transport = createHttpsTransport(full, {
    clock,
    log: silentLog,
    environment: {},
    ...(certificate && { certificate }),
  });
  onTestFinished(() => transport.close());
  return transport;
}

async function read({ body }: WireResponse): Promise<string> {
  if (typeof body === 'string') return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function readUntilCut(body: WireResponse['body']): Promise<void> {
  if (typeof body === 'string') return;
  for await (const chunk of body) void chunk;
}

async function openServer(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

describe('over TLS', () => {
  test('a request and its answer arrive unchanged', async () => {
    const asked: ApiRequest[] = [];
    const harness = await ListenerHarness.open(async (request) => {
      asked.push(request);
      const chunks: Uint8Array[] = [];
      for await (const chunk of request.body ?? []) chunks.push(chunk);
      return {
        ...text(`got ${Buffer.concat(chunks).toString()}`, 201),
        headers: [['retry-after', '3']],
      };
    });
    const user = { token: 'secret', headers: { 'impersonate-group': ['a', 'b'] } };
    const transport = transportTo(harness.listener.url, { ca: harness.pki.caCert, user });
    const request = { method: 'POST', target: '/x?y=%2F', headers: { accept: 'a/b' } };
    const response = await transport.send({ ...request, body: { a: 'ż' } }, never());
    expect([response.status, response.header('retry-after'), await read(response)]).toEqual([
      201,
      '3',
      'got {"a":"ż"}',
    ]);
    expect(response.header('x-none')).toBeNull();
    const [first] = asked;
    expect([first?.method, new URL(first?.url ?? '').search]).toEqual(['POST', '?y=%2F']);
    const names = ['authorization', 'accept', 'impersonate-group'];
    expect(names.map((name) => first?.headers.get(name))).toEqual(['Bearer secret', 'a/b', 'a, b']);
  });

  test('a server with a path in its address is asked below that path', async () => {
    const harness = await ListenerHarness.open(({ url }) => text(new URL(url).pathname));
    const transport = transportTo(`${harness.listener.url}/clusters/a`, { ca: harness.pki.caCert });
    expect(await read(await transport.send(GET, never()))).toBe('/clusters/a/api/v1/pods');
  });

  test('a certificate is shown, and a renewed one on new connections', async () => {
    const clientIdentities: ClientIdentity[] = [];
    const harness = await ListenerHarness.open((_request, clientIdentity) => {
      clientIdentities.push(clientIdentity);
      return text('');
    });
    const { adminCert, adminKey, serverCert, serverKey, caCert: ca } = harness.pki;
    const folder = makeTempFolder();
    const [certificate, key] = ['me.crt', 'me.key'].map((name) => ({
      file: path.join(folder, name),
    }));
    const write = (cert: string, secret: string): void => {
      writeFileSync(certificate?.file ?? '', cert);
      writeFileSync(key?.file ?? '', secret);
    };
    write(adminCert, adminKey);
    const clock = new VirtualClock();
    const user = { headers: {}, ...(certificate && { certificate }), ...(key && { key }) };
    const transport = transportTo(harness.listener.url, { ca, user }, clock);
    await read(await transport.send(GET, never()));
    write(serverCert, serverKey);
    await clock.pass(60_000);
    await read(await transport.send(GET, never()));
    const shown = clientIdentities.map(({ certificate: der, certificateFault }) =>
      der ? new X509Certificate(der).subject : certificateFault,
    );
    expect(shown[0]).toBe(new X509Certificate(adminCert).subject);
    expect(shown[1]).not.toBe(shown[0]);
  });

  test('a watch goes on for a minute after a renewal, and is cut then to start again', async () => {
    const harness = await ListenerHarness.open(({ url }) =>
      url.endsWith('/watch')
        ? { ...text(''), body: new ReadableStream<Uint8Array>() }
        : text('hello'),
    );
    const { adminCert, adminKey, caCert: ca } = harness.pki;
    const clock = new VirtualClock();
    let shown: { cert: string; key: string } | null = null;
    const transport = transportTo(harness.listener.url, { ca }, clock, () => shown);
    const { body } = await transport.send({ ...GET, target: '/watch' }, never());
    const watched = readUntilCut(body);
    watched.catch(() => {}); // it is looked at below
    shown = { cert: adminCert, key: adminKey };
    expect(await read(await transport.send(GET, never()))).toBe('hello');
    await clock.pass(59_999);
    expect(clock.pending).toBe(1);
    await clock.pass(1);
    await expect(watched).rejects.toMatchObject({ code: 'API_UNREACHABLE' });
    expect(await read(await transport.send(GET, never()))).toBe('hello');
  });

  test('an authority in a file is read again after a minute', async () => {
    const harness = await ListenerHarness.open(() => text('hello'));
    const other = await createPki({ clock: systemClock, random: seededRandom(9) });
    const caFile = path.join(makeTempFolder(), 'ca.crt');
    writeFileSync(caFile, harness.pki.caCert);
    const clock = new VirtualClock();
    const access = { ca: other.caCert, caFile };
    const transport = transportTo(harness.listener.url, access, clock);
    await expect(transport.send(GET, never())).rejects.toMatchObject({ code: 'API_UNREACHABLE' });
    await clock.pass(60_000);
    expect(await read(await transport.send(GET, never()))).toBe('hello');
    writeFileSync(caFile, '');
    await clock.pass(60_000);
    expect(await read(await transport.send(GET, never()))).toBe('hello');
  });

  test('a server whose certificate another authority signed is refused', async () => {
    const harness = await ListenerHarness.open(() => text('hello'));
    await expect(transportTo(harness.listener.url).send(GET, never())).rejects.toMatchObject({
      code: 'API_UNREACHABLE',
      message: expect.stringContaining(harness.listener.url),
      hint: expect.stringContaining('certificate authority'),
    });
    const careless = transportTo(harness.listener.url, { insecureSkipTlsVerify: true });
    expect(await read(await careless.send(GET, never()))).toBe('hello');
  });

  test('the name in the certificate may differ from the address', async () => {
    const harness = await ListenerHarness.open(() => text('hello'));
    const { caCert: ca } = harness.pki;
    const right = transportTo(harness.listener.url, { ca, serverName: 'localhost' });
    expect(await read(await right.send(GET, never()))).toBe('hello');
    const wrong = transportTo(harness.listener.url, { ca, serverName: 'elsewhere.example' });
    await expect(wrong.send(GET, never())).rejects.toThrow('elsewhere.example');
  });
});

describe('streams', () => {
  function streaming() {
    let isCancelled = false;
    const encoder = new TextEncoder();
    const open = ListenerHarness.open(() => ({
      status: 200,
      headers: [],
      body: new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode('first')),
        cancel: () => {
          isCancelled = true;
        },
      }),
    }));
    return { open, isCancelled: () => isCancelled };
  }

  test('come as they are sent, and end on both sides when the signal is aborted', async () => {
    const { open, isCancelled } = streaming();
    const harness = await open;
    const abort = new AbortController();
    const transport = transportTo(harness.listener.url, { ca: harness.pki.caCert });
    const { body } = await transport.send(GET, abort.signal);
    const got: string[] = [];
    const ended = (async () => {
      for await (const chunk of body) got.push(String(Buffer.from(chunk)));
    })();
    await expect.poll(() => got).toEqual(['first']);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(ended).rejects.toBe(reason);
    await expect.poll(isCancelled).toBe(true);
  });

  test('end on the other side when the reader stops', async () => {
    const { open, isCancelled } = streaming();
    const harness = await open;
    const transport = transportTo(harness.listener.url, { ca: harness.pki.caCert });
    const { body } = await transport.send(GET, never());
    for await (const chunk of body) {
      expect(chunk).toHaveLength(5);
      break;
    }
    await expect.poll(isCancelled).toBe(true);
  });

  test('that are cut off fail', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200).write('half', () => response.destroy());
    });
    const response = await transportTo(await openServer(server)).send(GET, never());
    await expect(read(response)).rejects.toMatchObject({ code: 'API_UNREACHABLE' });
  });
});

describe('a server in trouble', () => {
  test('that cannot be reached is reported with its address and the reason', async () => {
    const server = createServer();
    const url = await openServer(server);
    server.close();
    await once(server, 'close');
    await expect(transportTo(url).send(GET, never())).rejects.toThrow(
      `the API server at ${url} cannot be reached: connect ECONNREFUSED`,
    );
  });

  test('that drops a kept connection is sent a GET again', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      if (requests === 1 || request.method === 'POST') request.socket.destroy();
      else response.end('second');
    });
    const transport = transportTo(await openServer(server));
    expect(await read(await transport.send(GET, never()))).toBe('second');
    requests = 1;
    await expect(transport.send({ ...GET, method: 'POST' }, never())).rejects.toMatchObject({
      code: 'API_UNREACHABLE',
    });
    expect(requests).toBe(2);
  });
});

test('a proxy is asked for a tunnel', async () => {
  const harness = await ListenerHarness.open(() => text('through'));
  const tunnels: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url);
    const upstream = connect(harness.listener.port, harness.listener.host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  const proxyUrl = await openServer(proxy);
  const transport = transportTo(harness.listener.url, { ca: harness.pki.caCert, proxyUrl });
  expect(await read(await transport.send(GET, never()))).toBe('through');
  expect(tunnels).toEqual([new URL(harness.listener.url).host]);
  await transport.close();
});
