import { once } from 'node:events';
import { Agent, request as requestHttps } from 'node:https';
import { describe, expect, test } from 'vitest';
import { createPki } from '../apiserver/pki/pki.ts';
import {
  ListenerHarness,
  echo,
  hello,
  openStream,
  readAll,
  Source,
  text,
  whenSteady,
  type Answer,
} from '../../test/support/listener-harness.ts';
import type { ClientIdentity } from '../ports/api/http-handler.ts';
import { openHttpsListener } from './https-listener.ts';
import { seededRandom } from './seeded-random.ts';
import { systemClock } from './system-clock.ts';

describe('requests', () => {
  test('HTTP/1.1 and HTTP/2 share a port, and get the same answers', async () => {
    const harness = await ListenerHarness.open(echo);
    const path = '/api/v1/pods/%2e%2e?a=%2F';
    const first = await harness.http1({ method: 'POST', path, headers: { 'x-a': '1' } }, 'body');
    const second = await harness.http2({ ':method': 'POST', ':path': path, 'x-a': '1' }, 'body');
    const given = { method: 'POST', path, a: '1', hasBody: true, body: 'body' };
    expect(JSON.parse(first.body)).toEqual(given);
    expect(JSON.parse(second.body)).toEqual(given);
    expect([first, second].map(({ headers }) => headers['content-type'])).toEqual([
      'text/plain',
      'text/plain',
    ]);
  });

  test('a request without a body has none', async () => {
    const harness = await ListenerHarness.open(echo);
    for (const { body } of [await harness.http1(), await harness.http2()]) {
      expect(JSON.parse(body)).toMatchObject({ method: 'GET', hasBody: false });
    }
  });

  test('an answer may have the same header twice', async () => {
    const headers = [
      ['warning', '299 - "a"'],
      ['warning', '299 - "b"'],
    ] as const;
    const harness = await ListenerHarness.open(() => ({ status: 200, headers, body: null }));
    for (const answered of [await harness.http1(), await harness.http2()]) {
      expect(answered.headers['warning']).toBe('299 - "a", 299 - "b"');
    }
  });

  test('HEAD has the length of the answer and no body', async () => {
    const harness = await ListenerHarness.open(hello);
    for (const { headers, body } of [
      await harness.http1({ method: 'HEAD' }),
      await harness.http2({ ':method': 'HEAD' }),
    ]) {
      expect({ length: headers['content-length'], body }).toEqual({ length: '5', body: '' });
    }
  });

  test('an answer that never has a body has no content-length', async () => {
    const harness = await ListenerHarness.open(() => ({ status: 204, headers: [], body: null }));
    for (const { status, headers } of [await harness.http1(), await harness.http2()]) {
      expect([status, headers['content-length']]).toEqual([204, undefined]);
    }
  });

  test('HEAD of a stream opens none', async () => {
    const sources: Source[] = [];
    const harness = await ListenerHarness.open(() => {
      sources.push(new Source(Buffer.from('x')));
      return sources.at(-1)?.response ?? text('');
    });
    await harness.http1({ method: 'HEAD' });
    await harness.http2({ ':method': 'HEAD' });
    await Promise.all(sources.map(({ cancelled }) => cancelled));
    expect(sources).toHaveLength(2);
  });

  test('a connection is used again', async () => {
    const harness = await ListenerHarness.open(hello);
    const agent = new Agent({ ca: harness.pki.caCert, keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    agent.on('free', (socket) => ports.add(socket.localPort));
    await harness.http1({ agent });
    await harness.http1({ agent });
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('a client that waits for 100 Continue gets it', async () => {
    const harness = await ListenerHarness.open(echo);
    const outgoing = requestHttps({
      host: harness.listener.host,
      port: harness.listener.port,
      agent: harness.agent,
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': 2 },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('ok');
    const [response] = await once(outgoing, 'response');
    response.resume();

    const stream = (await harness.session()).request(
      { ':method': 'POST', expect: '100-continue' },
      { endStream: false },
    );
    await once(stream, 'continue');
    stream.end('ok');
    const [headers] = await once(stream, 'response');
    expect([response.statusCode, headers[':status']]).toEqual([200, 200]);
  });

  test('a host that would become a part of the path is refused', async () => {
    const harness = await ListenerHarness.open(echo);
    const socket = await harness.socket();
    socket.write('GET /x HTTP/1.1\r\nhost: a/../b\r\nconnection: close\r\n\r\n');
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400/);
  });

  test('headers named like members of Object.prototype are plain headers', async () => {
    const harness = await ListenerHarness.open(({ headers }) =>
      text(
        JSON.stringify([
          headers.get('constructor'),
          headers.get('toString'),
          [...headers].length > 0,
        ]),
      ),
    );
    expect((await harness.http1()).body).toBe('[null,null,true]');
  });
});

describe('clients', () => {
  const seen: ClientIdentity[] = [];
  const remember: Answer = (_request, clientIdentity) => {
    seen.push(clientIdentity);
    return text('');
  };

  test('a certificate counts if our authority signed it, and is a fault if another did', async () => {
    const harness = await ListenerHarness.open(remember);
    const foreign = await createPki({ clock: systemClock, random: seededRandom(2) });
    for (const { adminCert: cert, adminKey: key } of [harness.pki, foreign]) {
      await harness.http1({ cert, key, agent: new Agent({ ca: harness.pki.caCert }) });
      await harness.http2({}, undefined, await harness.session({ cert, key }));
    }
    await harness.http1();
    const [first, second, third, fourth, fifth] = seen;
    expect(first?.certificate).toBeInstanceOf(Uint8Array);
    expect(second?.certificate).toEqual(first?.certificate);
    expect(third).toEqual({ address: '127.0.0.1', certificateFault: expect.stringMatching(/.+/) });
    expect(fourth).toEqual(third);
    expect(fifth).toEqual({ address: '127.0.0.1' });
  });
});

describe('opening and closing', () => {
  test('a port that is taken is named, with a hint', async () => {
    const { listener, pki } = await ListenerHarness.open(hello);
    const handler = { answer: async () => text(''), connect: async () => {} };
    const { serverCert: cert, serverKey: key, caCert: ca } = pki;
    await expect(
      openHttpsListener({ handler, cert, key, ca, port: listener.port, portSetting: '--port' }),
    ).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: `another process listens on 127.0.0.1:${listener.port} already`,
      hint: expect.stringContaining('--port'),
    });
    await expect(
      openHttpsListener({ handler, cert, key, ca, host: '203.0.113.1', port: 0 }),
    ).rejects.toMatchObject({ code: 'PORT_UNUSABLE' });
  });

  test.each(['http/1.1', 'h2'])('%s: a watch sees its regular end', async (kind) => {
    const source = new Source(Buffer.from('x'));
    const harness = await ListenerHarness.open(() => source.response);
    const stream = await openStream(harness, kind);
    stream.resume();
    const ended = once(stream, 'end');
    await harness.listener.close();
    await ended;
    await expect(source.cancelled).resolves.toBeUndefined();
  });

  test('answers under way are completed, and new connections are refused', async () => {
    let finish = (): void => {};
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const isDone = new Promise<void>((resolve) => (finish = resolve));
    const harness = await ListenerHarness.open(async () => {
      begun();
      await isDone;
      return text('done');
    });
    const answers = Promise.all([harness.http1(), harness.http2()]);
    await isBegun;
    await whenSteady(() => 0);
    const closed = harness.listener.close();
    await expect(harness.http1({ agent: new Agent({ ca: harness.pki.caCert }) })).rejects.toThrow(
      /ECONNREFUSED/,
    );
    finish();
    expect((await answers).map(({ body }) => body)).toEqual(['done', 'done']);
    await closed;
  });

  test('connections that are left are destroyed when the time is over', async () => {
    const harness = await ListenerHarness.open(() => new Promise(() => {}), { closeMs: 50 });
    const [first, second] = [harness.http1(), harness.http2()];
    const outcomes = Promise.allSettled([first, second]);
    await whenSteady(() => 0);
    await harness.listener.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('other protocols', () => {
  test('a connection that upgrades is passed on, with the bytes after the request', async () => {
    const harness = await ListenerHarness.open(
      hello,
      {},
      async ({ url, headers }, { socket, head }) => {
        const about = `${url.slice(url.indexOf('/', 8))} ${headers.get('upgrade')} ${String(head)}`;
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\n\r\n${about};`);
        socket.pipe(socket);
      },
    );
    const socket = await harness.socket();
    const received: string[] = [];
    socket.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk));
    socket.write(
      'GET /exec HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nearly',
    );
    await once(socket, 'data');
    socket.write('later');
    while (!received.join('').endsWith('later')) await once(socket, 'data');
    expect(received.join('')).toMatch(/^HTTP\/1.1 101 [\s\S]*\r\n\/exec echo early;later$/);
  });

  test('closing the listener closes it too', async () => {
    const harness = await ListenerHarness.open(hello, {}, async (_request, { socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\n\r\n');
    });
    const socket = await harness.socket();
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await harness.listener.close();
    await expect(closed).resolves.toBeDefined();
  });
});
