import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import { testPki } from '../../../../test/support/listener-harness.ts';
import { listen, listenRaw, refusingPort } from '../../../../test/support/loopback.ts';
import { container } from '../../../../test/support/pod-parts.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { HttpGetAction } from '../../../api/run-spec.ts';
import type { ProbeAnswer } from '../answer.ts';
import { probeHttp } from './http-client.ts';
import { httpProbeRequest } from './http-request.ts';

const FOREVER = new AbortController().signal;

function probe(
  action: HttpGetAction,
  clock = new VirtualClock(),
  signal = FOREVER,
): Promise<ProbeAnswer> {
  const request = httpProbeRequest(action, container('web'), '127.0.0.1');
  return probeHttp(clock, request, 1000, signal);
}

function serve(handle: RequestListener): Promise<number> {
  return listen(createServer(handle));
}

function answering(
  status: number,
  headers: Record<string, string> = {},
  body = '',
): RequestListener {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

function failure(output: string): ProbeAnswer {
  return { result: 'failure', output };
}

describe('status codes', () => {
  test.each([200, 204, 299])('%i is a success', async (status) => {
    const port = await serve(answering(status));
    expect(await probe({ port, path: '/' })).toEqual({ result: 'success', output: '' });
  });

  test.each([300, 304, 399])(
    '%i without a place to go is a success with a warning',
    async (code) => {
      const port = await serve(answering(code));
      const output = 'Probe terminated redirects, Response body: ';
      expect(await probe({ port, path: '/' })).toEqual({ result: 'warning', output });
    },
  );

  test.each([400, 404, 500, 503])('%i is a failure that does not show the body', async (status) => {
    const port = await serve(answering(status, {}, 'a secret'));
    expect(await probe({ port, path: '/' })).toEqual(
      failure(`HTTP probe failed with statuscode: ${status}`),
    );
  });

  test('a server that wants to switch protocols has failed', async () => {
    const port = await listenRaw((socket) =>
      socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    expect(await probe({ port })).toEqual(failure('HTTP probe failed with statuscode: 101'));
  });
});

describe('the request', () => {
  test('is a GET on its own connection, with the headers of the kubelet', async () => {
    const seen: IncomingMessage[] = [];
    const port = await serve((request, response) => {
      seen.push(request);
      response.end();
    });
    await probe({ port, path: '/healthz?full=1' });
    expect(seen.map(({ method, url, headers }) => ({ method, url, headers }))).toEqual([
      {
        method: 'GET',
        url: '/healthz?full=1',
        headers: {
          host: `127.0.0.1:${port}`,
          'user-agent': 'kube-probe/1.36',
          accept: '*/*',
          connection: 'close',
        },
      },
    ]);
  });

  test('a query alone gets a slash before it, and large headers are accepted', async () => {
    const port = await serve((request, response) => {
      response.setHeader('x-large', 'x'.repeat(100_000)).end(request.url);
    });
    expect(await probe({ port, path: '?a=b' })).toEqual({ result: 'success', output: '/?a=b' });
  });

  test('has the headers of the spec, and its host name', async () => {
    const lines: string[] = [];
    const port = await listenRaw((socket, heard) => {
      lines.push(...heard.split('\r\n'));
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const httpHeaders = [
      { name: 'Host', value: 'shop.example' },
      { name: 'X-A', value: '1' },
      { name: 'X-A', value: 'é' },
    ];
    expect((await probe({ port, httpHeaders })).result).toBe('success');
    expect(lines).toContain('GET / HTTP/1.1');
    expect(lines).toContain('host: shop.example');
    expect(lines.filter((line) => line.startsWith('x-a'))).toEqual(['x-a: 1', 'x-a: Ã©']);
  });

  test('certificates are not verified', async () => {
    const { serverCert: cert, serverKey: key } = await testPki();
    const port = await listen(createTlsServer({ cert, key }, answering(200, {}, 'ok')));
    expect(await probe({ port, scheme: 'HTTPS' })).toEqual({ result: 'success', output: 'ok' });
  });
});

describe('redirects', () => {
  test('are followed on the same host', async () => {
    const paths: string[] = [];
    const port = await serve((request, response) => {
      paths.push(
        `${request.url} ${request.headers['referer'] ?? '-'} ${String(request.headers['x-a'])}`,
      );
      const body = 'x'.repeat(100_000);
      if (request.url === '/') response.writeHead(302, { location: '/there?a=b' }).end(body);
      else response.end('here');
    });
    const httpHeaders = [{ name: 'X-A', value: '1' }];
    expect(await probe({ port, path: '/', httpHeaders })).toEqual({
      result: 'success',
      output: 'here',
    });
    expect(paths).toEqual(['/ - 1', `/there?a=b http://127.0.0.1:${port}/ 1`]);
  });

  test('to another port of the same host are followed, too', async () => {
    const there = await serve(answering(500));
    const port = await serve(answering(307, { location: `http://127.0.0.1:${there}/x` }));
    expect(await probe({ port })).toEqual(failure('HTTP probe failed with statuscode: 500'));
  });

  test('to another host are a success with a warning', async () => {
    const port = await serve(answering(301, { location: 'http://example.com/' }, 'moved'));
    expect(await probe({ port })).toEqual({
      result: 'warning',
      output: 'Probe terminated redirects, Response body: moved',
    });
  });

  test('in a loop are given up after ten', async () => {
    let count = 0;
    const port = await serve((_request, response) => {
      count += 1;
      response.writeHead(302, { location: '/loop' }).end();
    });
    expect(await probe({ port })).toEqual(failure('Get "/loop": stopped after 10 redirects'));
    expect(count).toBe(10);
  });

  test('without a valid target are a failure', async () => {
    const port = await serve(answering(302, { location: 'http://[::1' }));
    const { output } = await probe({ port, path: '/x' });
    expect(output).toBe(
      `Get "http://127.0.0.1:${port}/x": failed to parse Location header "http://[::1"`,
    );
  });
});

describe('bodies', () => {
  test('more than 10 KiB are not read', async () => {
    const port = await serve((_request, response) => {
      response.write('x'.repeat(50_000)); // and never ends
    });
    const { result, output } = await probe({ port });
    expect([result, output.length]).toEqual(['success', 10_240]);
  });

  test('a body that breaks off is an error, not a failure', async () => {
    const port = await listenRaw((socket) =>
      socket.end('HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nabc'),
    );
    await expect(probe({ port })).rejects.toThrow('unexpected EOF');
  });

  test('and so is one that does not end in time', async () => {
    const clock = new VirtualClock();
    const port = await serve((_request, response) => void response.write('a'));
    const probing = probe({ port }, clock);
    const late =
      'context deadline exceeded (Client.Timeout or context cancellation while reading body)';
    const given = probing.catch(String);
    await arrived(port);
    await clock.pass(1000);
    expect(await given).toContain(late);
  });
});

describe('without an answer', () => {
  test('a refused connection has the message of Go', async () => {
    const port = await refusingPort();
    const where = `127.0.0.1:${port}`;
    expect(await probe({ port, path: '/' })).toEqual(
      failure(`Get "http://${where}/": dial tcp ${where}: connect: connection refused`),
    );
  });

  test('a server that hangs', async () => {
    const clock = new VirtualClock();
    const heard = deferred();
    const port = await serve(() => heard.resolve());
    const probing = probe({ port, path: '/x' }, clock);
    await heard.promise;
    await clock.pass(999);
    await clock.pass(1);
    const message = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    expect(await probing).toEqual(failure(`Get "http://127.0.0.1:${port}/x": ${message}`));
    expect(clock.pending).toBe(0);
  });

  test.each<[string, 'HTTP' | 'HTTPS', string, string]>([
    ['closes', 'HTTP', '', 'EOF'],
    [
      'speaks something else',
      'HTTP',
      'SSH-2.0-x\r\n\r\n',
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-x"',
    ],
    [
      'does not encrypt',
      'HTTPS',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'http: server gave HTTP response to HTTPS client',
    ],
  ])('a server that %s', async (_case, scheme, given, message) => {
    const port = await listenRaw((socket) => socket.end(given));
    const { result, output } = await probe({ port, path: '/', scheme });
    expect(result).toBe('failure');
    expect(output).toBe(`Get "${scheme.toLowerCase()}://127.0.0.1:${port}/": ${message}`);
  });

  test('a server that resets the connection', async () => {
    const port = await listenRaw((socket) => void socket.resetAndDestroy());
    expect((await probe({ port, path: '/' })).output).toBe(
      `Get "http://127.0.0.1:${port}/": read tcp 127.0.0.1:${port}: read: connection reset by peer`,
    );
  });

  test('a header that cannot be sent is a failure, not a crash', async () => {
    const httpHeaders = [{ name: 'X-A', value: 'a\nb' }];
    expect(await probe({ port: 1, path: '/', httpHeaders })).toEqual(
      failure('Get "http://127.0.0.1:1/": net/http: invalid header field value'),
    );
  });

  test('an aborted probe gets no answer', async () => {
    const enough = new AbortController();
    const heard = deferred();
    const port = await serve(() => heard.resolve());
    const probing = probe({ port }, new VirtualClock(), enough.signal);
    await heard.promise;
    enough.abort(new Error('no more'));
    await expect(probing).rejects.toThrow('no more');
  });
});

/** Another request to the same server has been answered in part, so the first one has, too. */
async function arrived(port: number): Promise<void> {
  const { body } = await fetch(`http://127.0.0.1:${port}/`);
  await body?.getReader().read();
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
