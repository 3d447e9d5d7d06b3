/** Both ends of a connection, with podkeep on either side. */
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { SpdySession } from './spdy-session.ts';
import type { SpdyStream } from './spdy-stream.ts';

function connected(accept: (stream: SpdyStream) => boolean) {
  const [near, far] = duplexPair();
  const clock = new VirtualClock();
  const server = new SpdySession({ socket: far, clock, idleMs: 0, accept });
  const client = new SpdySession({
    role: 'client',
    socket: near,
    clock,
    idleMs: 0,
    accept: () => false,
  });
  return { server, client, near };
}

/** Unlike an iteration, it leaves the stream open for an answer. */
function heard(stream: SpdyStream): Promise<string> {
  return new Promise((resolve) => {
    let given = '';
    stream.on('data', (chunk) => (given += String(chunk))).on('end', () => resolve(given));
  });
}

test('streams that a client opens carry bytes both ways, each with its headers', async () => {
  const { client } = connected((stream) => {
    void heard(stream).then((given) => stream.end(`${stream.headers.get('streamtype')}: ${given}`));
    return true;
  });
  const answers = ['a', 'b', 'c'].map((name) => {
    const stream = client.open(new Map([['streamtype', name]]));
    stream.end(`hello from ${name}`);
    return text(stream);
  });
  expect(await Promise.all(answers)).toEqual([
    'a: hello from a',
    'b: hello from b',
    'c: hello from c',
  ]);
});

test('large data arrive complete, with flow control', async () => {
  const block = Buffer.alloc(1_000_000, 'abcdefg');
  const { client } = connected((stream) => {
    stream.end(block);
    return true;
  });
  const stream = client.open(new Map());
  let size = 0;
  for await (const part of stream) {
    size += Buffer.from(part as Uint8Array).length;
  }
  expect(size).toBe(block.length);
});

test('a stream that the server does not want ends', async () => {
  const { client } = connected(() => false);
  const stream = client.open(new Map());
  expect(await text(stream)).toBe('');
});

test.each(['reset', 'goodbye', 'cut'])(
  'what a server said before the %s can still be read',
  async (how) => {
    const opened: SpdyStream[] = [];
    const { client, server, near } = connected((stream) => {
      opened.push(stream);
      return true;
    });
    const stream = client.open(new Map());
    await vi.waitFor(() => expect(opened).toHaveLength(1));
    const [theirs] = opened;
    theirs?.write('last words');
    await vi.waitFor(() => expect(stream.readableLength).toBe(10));
    if (how === 'reset') theirs?.destroy();
    else if (how === 'goodbye') server.close();
    else near.destroy();
    expect(await text(stream)).toBe('last words');
    // The other side does not read it any more, and the write does not wait for that.
    await new Promise((resolve) => stream.write('too late', resolve));
    expect(client.gone.aborted).toBe(how !== 'reset');
  },
);

test('after the connection is over, a stream is over when it is opened', async () => {
  const { client, near } = connected(() => true);
  near.destroy();
  await vi.waitFor(() => expect(client.gone.aborted).toBe(true));
  expect(await text(client.open(new Map()))).toBe('');
});
