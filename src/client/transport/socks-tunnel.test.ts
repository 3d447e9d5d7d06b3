import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ListenerHarness, text } from '../../../test/support/listener-harness.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { createHttpsTransport } from './https-transport.ts';
import { connectSocks } from './socks-tunnel.ts';

interface Proxy {
  readonly host: string;
  /** What the client sent, step by step, in hexadecimal. */
  readonly heard: string[];
}

/** Answers each step with these bytes, and connects to the port after the last one. */
async function openProxy(answers: readonly (readonly number[])[], port = 0): Promise<Proxy> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    const rest = [...answers];
    const hear = (chunk: Buffer): void => {
      heard.push(chunk.toString('hex'));
      const answer = rest.shift() ?? [];
      socket.write(Buffer.from(answer));
      if (rest.length > 0) return;
      socket.removeListener('data', hear);
      if (port > 0) lead(socket, port);
      else socket.end();
    };
    socket.on('data', hear);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function lead(socket: Socket, port: number): void {
  const upstream = connect(port, '127.0.0.1');
  upstream.on('error', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
  socket.pipe(upstream).pipe(socket);
}

const NO_LOGIN = [5, 0];
const LED = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

test('an API server behind a SOCKS proxy is reached, and its certificate is checked', async () => {
  const harness = await ListenerHarness.open(() => text('through'));
  const proxy = await openProxy([NO_LOGIN, LED], harness.listener.port);
  const access = {
    server: harness.listener.url,
    ca: harness.pki.caCert,
    insecureSkipTlsVerify: false,
    proxyUrl: `socks5://${proxy.host}`,
    namespace: '',
    user: { headers: {} },
  };
  const ports = { clock: new VirtualClock(), log: silentLog, environment: {} };
  const transport = createHttpsTransport(access, ports);
  onTestFinished(() => transport.close());
  const request = { method: 'GET', target: '/', headers: {}, body: null };
  const { status } = await transport.send(request, new AbortController().signal);
  expect(status).toBe(200);
  const port = harness.listener.port.toString(16).padStart(4, '0');
  expect(proxy.heard).toEqual(['050100', `050100017f000001${port}`]);
  const doubtful = createHttpsTransport({ ...access, serverName: 'elsewhere.example' }, ports);
  onTestFinished(() => doubtful.close());
  await expect(doubtful.send(request, new AbortController().signal)).rejects.toThrow(
    'elsewhere.example',
  );
});

test('a proxy that wants a login gets it, and resolves names', async () => {
  const proxy = await openProxy([
    [5, 2],
    [1, 0],
    [5, 0, 0, 3, 1, 0x61, 0, 0],
  ]);
  const destination = { host: 'api.example', port: 6443 };
  const where = `socks5h://ann:s%C3%A9@${proxy.host}`;
  const socket = await connectSocks(where, destination, new VirtualClock());
  socket.destroy();
  expect(proxy.heard).toEqual([
    '05020002',
    '0103616e6e0373c3a9',
    `050100030b${Buffer.from('api.example').toString('hex')}192b`,
  ]);
});

test.each<[string, string, readonly (readonly number[])[], string]>([
  ['is none', '', [[72, 84]], 'does not speak SOCKS 5'],
  ['wants a login that we do not have', '', [[5, 2]], 'accepts none of the authentication methods'],
  ['takes none of our ways', 'a:b@', [[5, 255]], 'accepts none of the authentication methods'],
  [
    'refuses the login',
    'a:b@',
    [
      [5, 2],
      [1, 1],
    ],
    'refused the user name or the password',
  ],
  [
    'does not lead there',
    '',
    [NO_LOGIN, [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]],
    'cannot connect to fd00::1:80: the connection was refused',
  ],
  ['hangs up', '', [[5]], 'closed the connection'],
])('a proxy that %s is reported', async (_name, login, answers, words) => {
  const proxy = await openProxy(answers);
  const destination = { host: 'fd00::1', port: 80 };
  const connecting = connectSocks(
    `socks5://${login}${proxy.host}`,
    destination,
    new VirtualClock(),
  );
  await expect(connecting).rejects.toThrow(words);
});

test('a proxy that does not answer is given up', async () => {
  const clock = new VirtualClock();
  const silent = createServer((socket) => {
    socket.once('data', () => void clock.pass(10_000));
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const connecting = connectSocks(`socks5://127.0.0.1:${port}`, { host: 'a', port: 1 }, clock);
  await expect(connecting).rejects.toThrow('the SOCKS proxy does not answer');
});
