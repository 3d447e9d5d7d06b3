/** The runtime's streaming server is played here; test/cluster has the real ones. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { listen } from '../../../../test/support/loopback.ts';
import { SpdySession } from '../../../lib/spdy/spdy-session.ts';
import type { SpdyStream } from '../../../lib/spdy/spdy-stream.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import type { StreamRequest } from '../../../ports/runtime/streams.ts';
import { openCommandStreams } from './command-streams.ts';
import { openPortStream } from './port-stream.ts';

const NEVER = new AbortController().signal;
const ALL: StreamRequest = { stdin: true, stdout: true, stderr: true, tty: false, signal: NEVER };

type Streams = ReadonlyMap<string, SpdyStream>;

/** Calls back when this many streams are open. Returns the address to stream from. */
async function serve(
  count: number,
  play: (streams: Streams, session: SpdySession) => void,
  seen: (protocol: unknown) => void = () => {},
): Promise<string> {
  const server: Server = createServer();
  server.on('upgrade', (request, socket) => {
    seen(request.headers['x-stream-protocol-version']);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
    );
    const streams = new Map<string, SpdyStream>();
    const session = new SpdySession({
      socket,
      clock,
      idleMs: 0,
      accept: (stream) => {
        streams.set(stream.headers.get('streamtype') ?? '', stream);
        if (streams.size === count) play(streams, session);
        return true;
      },
    });
  });
  return `http://127.0.0.1:${await listen(server)}/exec/token`;
}

/** Unlike an iteration, it leaves the stream open for an answer. */
function heardOn(stream: SpdyStream | undefined): Promise<string> {
  return new Promise((resolve) => {
    let given = '';
    stream?.on('data', (chunk) => (given += String(chunk))).on('end', () => resolve(given));
  });
}

const run = (url: string, request: StreamRequest = ALL) =>
  openCommandStreams({ url, what: 'exec', request, clock });

test('a command reads input, writes both its outputs, and ends with its code', async () => {
  const protocol = vi.fn<(protocol: unknown) => void>();
  const url = await serve(
    4,
    (streams, session) => {
      void heardOn(streams.get('stdin')).then((heard) => {
        streams.get('stdout')?.end(`heard ${heard}`);
        streams.get('stderr')?.end('oops');
        const causes = [{ reason: 'ExitCode', message: '7' }];
        const status = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
        streams.get('error')?.end(JSON.stringify(status), () => session.close());
      });
    },
    protocol,
  );
  const { stdin, stdout, stderr, ended } = await run(url);
  stdin?.end('hello');
  expect(stdout && (await text(stdout))).toBe('heard hello');
  expect(stderr && (await text(stderr))).toBe('oops');
  expect(await ended).toBe(7);
  expect(protocol).toHaveBeenCalledWith('v4.channel.k8s.io');
});

test('a terminal has one output, and gets its size', async () => {
  const sizes = vi.fn<(text: string) => void>();
  const url = await serve(4, (streams) => {
    streams.get('resize')?.once('data', (chunk) => {
      sizes(String(chunk));
      streams.get('error')?.end(JSON.stringify({ status: 'Success' }));
    });
  });
  const streams = await run(url, { ...ALL, tty: true });
  expect(streams.stderr).toBeNull();
  streams.resize(80, 24);
  expect(await streams.ended).toBe(0);
  expect(sizes).toHaveBeenCalledWith('{"Width":80,"Height":24}\n');
});

test.each([
  [
    '{"status":"Failure","message":"Internal error occurred: error executing command in container: no"}',
    /^no$/,
  ],
  ['in old words', /^in old words$/],
  ['', /ended before the command/],
])('the error of the runtime for a command that did not run: %s', async (given, words) => {
  const url = await serve(4, (streams) => streams.get('error')?.end(given));
  await expect((await run(url)).ended).rejects.toThrow(words);
});

test('a connection that breaks ends the command, and so does a client that leaves', async () => {
  const broken = await serve(4, (_streams, session) => session.close());
  await expect((await run(broken)).ended).rejects.toMatchObject({
    code: 'RUNTIME_STREAMING_FAILED',
  });
  const abort = new AbortController();
  const left = vi.fn<() => void>();
  const url = await serve(4, (_streams, session) => {
    session.gone.addEventListener('abort', left);
    abort.abort(new Error('gone'));
  });
  await expect((await run(url, { ...ALL, signal: abort.signal })).ended).rejects.toThrow(/./);
  await vi.waitFor(() => expect(left).toHaveBeenCalled());
});

test('a server that does not stream is quoted', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(404).end('token not found\n');
  });
  const port = await listen(server);
  await expect(run(`http://127.0.0.1:${port}/exec/old`)).rejects.toThrow(
    'the container runtime does not stream exec: 404 Not Found: token not found',
  );
  await expect(run('nonsense')).rejects.toMatchObject({ code: 'RUNTIME_STREAMING_FAILED' });
});

test('a port carries bytes both ways', async () => {
  const url = await serve(2, (streams) => {
    expect(streams.get('data')?.headers.get('port')).toBe('8080');
    const data = streams.get('data');
    void heardOn(data).then((heard) => {
      data?.end(heard.toUpperCase());
      streams.get('error')?.end();
    });
  });
  const connection = await openPortStream({ url, sandboxId: 's1', port: 8080, clock });
  connection.end('hello');
  expect(await text(connection)).toBe('HELLO');
});

test('a port without a listener breaks with the message of the runtime, once', async () => {
  const url = await serve(2, (streams) => {
    streams.get('data')?.end();
    streams.get('error')?.end('error forwarding port 9 to pod s1, uid : connection refused');
  });
  const connection = await openPortStream({ url, sandboxId: 's1', port: 9, clock });
  await expect(text(connection)).rejects.toThrow(/^connection refused$/);
});
