import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { describe, expect, test } from 'vitest';
import {
  ListenerHarness,
  echo,
  hello,
  openStream,
  readAll,
  Source,
  text,
  whenSteady,
} from '../../test/support/listener-harness.ts';

describe('streams', () => {
  test.each(['http/1.1', 'h2'])(
    '%s: what is written arrives at once, and in order',
    async (kind) => {
      const source = new Source(Buffer.from('one\n'));
      const harness = await ListenerHarness.open(() => source.response);
      const stream = await openStream(harness, kind);
      let received = '';
      stream.setEncoding('utf8');
      for await (const chunk of stream) {
        received += chunk;
        if (received === 'one\n') for (const line of ['two\n', 'three\n']) source.send(line);
        if (received.endsWith('three\n')) break;
      }
      expect(received).toBe('one\ntwo\nthree\n');
    },
  );

  test.each(['http/1.1', 'h2'])(
    '%s: a client that disconnects cancels its stream',
    async (kind) => {
      const source = new Source(Buffer.from('x'));
      const harness = await ListenerHarness.open(() => source.response);
      const stream = await openStream(harness, kind);
      await once(stream, 'data');
      stream.destroy();
      await expect(source.cancelled).resolves.toBeUndefined();
    },
  );

  test.each(['http/1.1', 'h2'])(
    '%s: while the client does not read, nothing is produced',
    async (kind) => {
      const chunk = Buffer.alloc(64 * 1024);
      const source = new Source(chunk, (controller) => controller.enqueue(chunk));
      const harness = await ListenerHarness.open(() => source.response);
      const stream = await openStream(harness, kind);
      const before = await whenSteady(() => source.pulls);
      let bytes = 0;
      stream.on('data', (part: Buffer) => (bytes += part.length));
      while (bytes < 2 * before * chunk.length) await once(stream, 'data');
      expect(before).toBeLessThan(400);
      expect(source.pulls).toBeGreaterThan(before);
      stream.destroy();
      await source.cancelled;
    },
  );

  test('many streams with a large beginning fit on one connection', async () => {
    const first = Buffer.alloc(4 * 1024 * 1024, 'x');
    const harness = await ListenerHarness.open(({ url }) =>
      url.endsWith('/list') ? text(first.toString()) : new Source(first).response,
    );
    const session = await harness.session();
    const paths = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? '/list' : '/watch'));
    const streams = paths.map((path) => session.request({ ':path': path }));
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    let bytes = 0;
    for await (const chunk of streams.at(-1) ?? []) {
      bytes += Buffer.byteLength(chunk);
      if (bytes === first.length) break;
    }
    expect(bytes).toBe(first.length);
  });

  test.each(['http/1.1', 'h2'])('%s: a stream that fails breaks off', async (kind) => {
    const source = new Source(Buffer.from('half'));
    const harness = await ListenerHarness.open(() => source.response);
    const stream = await openStream(harness, kind);
    await once(stream, 'data');
    source.fail();
    await expect(once(stream, 'end')).rejects.toThrow(/abort|reset|INTERNAL_ERROR|socket hang up/i);
  });
});

test.each(['http/1.1', 'h2'])('%s: a client that reads nothing is disconnected', async (kind) => {
  const source = new Source(Buffer.alloc(16 * 1024 * 1024, 'x'));
  const harness = await ListenerHarness.open(() => source.response, { stallMs: 200 });
  const stream = await openStream(harness, kind);
  stream.on('error', () => {});
  await expect(source.cancelled).resolves.toBeUndefined();
  stream.destroy();
});

test('a stream that is opened and reset immediately is no request', async () => {
  let requests = 0;
  const harness = await ListenerHarness.open((request, clientIdentity) => {
    requests += 1;
    return hello(request, clientIdentity);
  });
  const session = await harness.session();
  const given = Array.from({ length: 50 }, () => session.request({ ':path': '/' }));
  for (const stream of given) stream.on('error', () => {}).close(8);
  expect((await harness.http2()).status).toBe(200);
  expect(requests).toBe(1);
});

test('a client that opens streams only to reset them is disconnected', async () => {
  const harness = await ListenerHarness.open(hello, { resetsPerSecond: 50 });
  const session = await harness.session();
  session.on('error', () => {});
  const closed = once(session, 'close');
  for (let count = 0; count < 90; count++) {
    const stream = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {});
    stream.close(8);
  }
  await closed;
  expect(session.destroyed).toBe(true);
});

describe('bodies', () => {
  const big = Buffer.alloc(8 * 1024 * 1024, 'x');

  test('a body that the handler does not read is not received', async () => {
    let read = (): void => {};
    const isWanted = new Promise<void>((resolve) => (read = resolve));
    const harness = await ListenerHarness.open(async (request, clientIdentity) => {
      await isWanted;
      return echo(request, clientIdentity);
    });
    const outgoing = requestHttps({
      host: harness.listener.host,
      port: harness.listener.port,
      agent: harness.agent,
      method: 'POST',
    });
    for (let n = 0; n < 4; n++) outgoing.write(big);
    const waiting = await whenSteady(() => outgoing.writableLength);
    expect(waiting).toBeGreaterThan(2 * big.length);
    read();
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    expect(response.statusCode).toBe(200);
    response.destroy();
  });

  test('an answer before the end of the body arrives, and the connection stays open', async () => {
    const harness = await ListenerHarness.open(() => text('too large', 413));
    const first = await harness.http1({ method: 'POST' }, big);
    const second = await harness.http2({ ':method': 'POST' }, big);
    expect([first, second].map(({ status, body }) => [status, body])).toEqual([
      [413, 'too large'],
      [413, 'too large'],
    ]);
    expect((await harness.http1()).status).toBe(413);
  });

  test('a client that keeps sending after the answer is disconnected', async () => {
    const harness = await ListenerHarness.open(() => text('no', 413), { leftoverMs: 100 });
    const socket = await harness.socket();
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(65_536),
      Buffer.from('\r\n'),
    ]);
    const push = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', push);
    push();
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 413/);
  });
});

describe('limits', () => {
  test('headers that are too large are refused', async () => {
    const harness = await ListenerHarness.open(hello, { headerBytes: 4096 });
    const { status } = await harness.http1({ headers: { 'x-large': 'x'.repeat(8192) } });
    expect(status).toBe(431);
  });

  test('headers that do not end time out', async () => {
    const harness = await ListenerHarness.open(hello, { headersMs: 50, checkMs: 20 });
    const socket = await harness.socket();
    socket.write('GET / HTTP/1.1\r\nhost:');
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 408/);
  });

  test('bodies that do not end time out', async () => {
    const harness = await ListenerHarness.open(echo, {
      headersMs: 50,
      requestMs: 100,
      checkMs: 20,
    });
    const socket = await harness.socket();
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nslow');
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 408/);

    const stream = (await harness.session()).request({ ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {});
    stream.write('slow');
    await once(stream, 'close');
    expect(stream.rstCode).not.toBe(0);
  });

  test('idle connections are closed, and one with a silent stream is not idle', async () => {
    const source = new Source(Buffer.from('x'));
    const harness = await ListenerHarness.open(
      ({ url }) => (url.endsWith('/watch') ? source.response : text('hello')),
      // Long enough for a busy machine to begin the stream before its connection counts as idle.
      { idleMs: 1000 },
    );
    const busy = await harness.session();
    const watch = busy.request({ ':path': '/watch' });
    await once(watch, 'data');
    const idle = await harness.session();
    const idleClosed = once(idle, 'close');
    const first = await harness.socket();
    const firstClosed = readAll(first);
    first.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await Promise.all([idleClosed, firstClosed]);
    source.send('still here');
    const [chunk] = await once(watch, 'data');
    expect(String(chunk)).toBe('still here');
  });

  test('the number of streams on a connection is limited', async () => {
    const harness = await ListenerHarness.open(hello, { streams: 7 });
    const session = connectHttp2(harness.listener.url, { ca: harness.pki.caCert });
    const [settings] = await once(session, 'remoteSettings');
    session.destroy();
    expect(settings.maxConcurrentStreams).toBe(7);
  });
});
