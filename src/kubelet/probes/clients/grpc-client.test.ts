import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { listen, listenRaw, refusingPort } from '../../../../test/support/loopback.ts';
import { promisesSettled, VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { ProbeAnswer } from '../answer.ts';
import { probeGrpc } from './grpc-client.ts';

const FOREVER = new AbortController().signal;
const GRPC = { ':status': 200, 'content-type': 'application/grpc' };

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

function serve(handle: Handler, port = 0): Promise<number> {
  const server: Http2Server = createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    handle(stream, headers);
  });
  return listen(server, port);
}

function probe(
  port: number,
  { clock = new VirtualClock(), service = '', signal = FOREVER } = {},
): Promise<ProbeAnswer> {
  return probeGrpc(clock, { host: '127.0.0.1', port }, service, 1000, signal);
}

/** A health server in this state. */
function inState(status: number): Handler {
  return (stream) => {
    stream.respond(GRPC, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Uint8Array.from([0, 0, 0, 0, 2, 8, status]));
  };
}

describe('a server that speaks the health protocol', () => {
  test('and serves, is healthy', async () => {
    const port = await serve(inState(1));
    expect(await probe(port)).toEqual({ result: 'success', output: 'service healthy' });
  });

  test('and does not serve, is unhealthy', async () => {
    const port = await serve(inState(2));
    expect(await probe(port)).toEqual({
      result: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
  });

  test('gets the service, the timeout and the user agent', async () => {
    const heard: [IncomingHttpHeaders, string][] = [];
    const port = await serve((stream, headers) => {
      stream.on('data', (data: Buffer) => {
        heard.push([headers, data.subarray(7).toString()]);
        inState(1)(stream, headers);
      });
    });
    await probe(port, { service: 'shop' });
    expect(heard).toEqual([
      [
        expect.objectContaining({
          ':method': 'POST',
          ':path': '/grpc.health.v1.Health/Check',
          'content-type': 'application/grpc',
          te: 'trailers',
          'user-agent': 'kube-probe/1.36',
          'grpc-timeout': '1000m',
        }),
        'shop',
      ],
    ]);
  });
});

describe('calls that fail', () => {
  test.each<[string, Handler, string]>([
    [
      'a service that it does not know',
      (stream) =>
        stream.respond(
          { ...GRPC, 'grpc-status': '5', 'grpc-message': 'unknown%20service' },
          { endStream: true },
        ),
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
    ],
    [
      'no health protocol',
      (stream) =>
        stream.respond(
          {
            ...GRPC,
            'grpc-status': '12',
            'grpc-message': 'unknown service grpc.health.v1.Health',
          },
          { endStream: true },
        ),
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    ],
    [
      'no gRPC at all',
      (stream) => {
        stream.respond({ ':status': 404, 'content-type': 'text/plain' });
        stream.end('not found');
      },
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP status code received from server: 404 (Not Found); transport: received unexpected content-type "text/plain"',
    ],
    [
      'a status alone',
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      'error: health rpc probe failed: rpc error: code = Unavailable desc = unexpected HTTP status code received from server: 503 (Service Unavailable); malformed header: missing HTTP content-type',
    ],
    [
      'no message',
      (stream) => stream.respond({ ...GRPC, 'grpc-status': '0' }, { endStream: true }),
      'error: health rpc probe failed: rpc error: code = Internal desc = cardinality violation: received no response message from non-server-streaming RPC',
    ],
    [
      'no trailers',
      (stream) => {
        stream.respond(GRPC);
        stream.end(Uint8Array.from([0, 0, 0, 0, 2, 8, 1]));
      },
      'error: health rpc probe failed: rpc error: code = Internal desc = server closed the stream without sending trailers',
    ],
    [
      'a reset',
      (stream) => stream.close(2),
      'error: health rpc probe failed: rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR',
    ],
  ])('%s', async (_case, handle, output) => {
    const port = await serve(handle);
    expect(await probe(port)).toEqual({ result: 'failure', output });
  });
});

describe('timeouts', () => {
  async function late(port: number, clock: VirtualClock): Promise<ProbeAnswer> {
    const probing = probe(port, { clock });
    await clock.pass(1000);
    return probing;
  }

  test('a refused connection is retried until the timeout', async () => {
    const port = await refusingPort();
    expect(await late(port, new VirtualClock())).toEqual({
      result: 'failure',
      output: `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    });
  });

  test('a server that starts meanwhile is found', async () => {
    const clock = new VirtualClock();
    const port = await refusingPort();
    const address = { host: '127.0.0.1', port };
    const probing = probeGrpc(clock, address, '', 5000, FOREVER);
    // One timer is the timeout; a second one means that the first try has failed.
    while (clock.pending < 2) await promisesSettled();
    await serve(inState(1), port);
    await clock.pass(1000);
    expect(await probing).toEqual({ result: 'success', output: 'service healthy' });
  });

  test('a server that accepts the connection and sends nothing counts as not connected', async () => {
    const port = await listenRaw(() => undefined);
    expect((await late(port, new VirtualClock())).output).toContain('failed to connect service');
  });

  test('a call that is not answered', async () => {
    const clock = new VirtualClock();
    const asked = { resolve: (): void => undefined };
    const heard = new Promise<void>((resolve) => {
      asked.resolve = resolve;
    });
    const port = await serve(() => asked.resolve());
    const probing = probe(port, { clock });
    await heard;
    await clock.pass(1000);
    expect(await probing).toEqual({
      result: 'failure',
      output: 'timeout: health rpc did not complete within 1s',
    });
    expect(clock.pending).toBe(0);
  });

  test('an aborted probe gets no answer', async () => {
    const enough = new AbortController();
    const port = await refusingPort();
    const probing = probe(port, { signal: enough.signal });
    enough.abort(new Error('no more'));
    await expect(probing).rejects.toThrow('no more');
  });
});
