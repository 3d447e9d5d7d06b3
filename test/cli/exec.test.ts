/** `podkeep exec` against a scripted server: terminals, bytes, and ends of all kinds. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Stdin } from '../../src/cli/io.ts';
import { CliHarness } from '../support/cli-harness.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const POD = { spec: { containers: [{ name: 'main' }] } };

interface TestHarness {
  readonly kubeconfig: string;
  readonly targets: string[];
}

/** `serve` gets the WebSocket of a command; null: it is refused with 403. */
async function startServer(serve: ((socket: WebSocket) => void) | null): Promise<TestHarness> {
  const targets: string[] = [];
  const server: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(POD));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    targets.push(request.url ?? '');
    if (serve) return sockets.handleUpgrade(request, socket, head, serve);
    const status = { kind: 'Status', reason: 'Forbidden', message: 'not you', code: 403 };
    const body = JSON.stringify(status);
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const kubeconfig = path.join(makeTempFolder(), 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', namespace: 'ns' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    }),
  );
  return { kubeconfig, targets };
}

function say(socket: WebSocket, channel: number, bytes: string | Buffer): void {
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]));
}

function end(socket: WebSocket, status: unknown): void {
  say(socket, 3, JSON.stringify(status));
  socket.close(1000);
}

const SUCCESS = { status: 'Success' };

test('output that arrives together with the answer is not lost, and bytes stay as they are', async () => {
  const { kubeconfig, targets } = await startServer((socket) => {
    say(socket, 1, 'first ');
    say(socket, 2, 'aside');
    say(socket, 1, 'second');
    end(socket, SUCCESS);
  });
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  expect(await harness.run('exec', 'web', '--', 'ls', '-l', 'a b')).toBe(0);
  expect({ out: harness.out, err: harness.err }).toEqual({ out: 'first second', err: 'aside' });
  expect(targets).toEqual([
    '/api/v1/namespaces/ns/pods/web/exec?container=main&stdout=true&stderr=true' +
      '&command=ls&command=-l&command=a+b',
  ]);
});

class TypedInput implements Stdin {
  readonly isTerminal: boolean;
  readonly raw: boolean[] = [];
  readonly #chunks: readonly string[];
  resize: () => void = () => {};
  columns = 80;

  constructor(isTerminal: boolean, chunks: readonly string[]) {
    this.isTerminal = isTerminal;
    this.#chunks = chunks;
  }

  read(take: (chunk: Uint8Array | null) => Promise<void>): () => void {
    const run = async (): Promise<void> => {
      for (const chunk of this.#chunks) await take(Buffer.from(chunk));
      await take(null);
    };
    run().catch(() => {}); // the command has ended
    return () => {};
  }

  setRaw(isRaw: boolean): void {
    this.raw.push(isRaw);
  }

  size() {
    return { columns: this.columns, rows: 24 };
  }

  onResize(listener: () => void): () => void {
    this.resize = listener;
    return () => (this.resize = () => {});
  }
}

test('typed input is sent, and so is its end', async () => {
  const { kubeconfig } = await startServer((socket) => {
    let typed = '';
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) typed += data.subarray(1).toString();
      if (data[0] !== 255) return;
      say(socket, 1, `[${typed}]`);
      end(socket, SUCCESS);
    });
  });
  const harness = new CliHarness({ KUBECONFIG: kubeconfig }, new TypedInput(false, ['a', 'b']));
  expect(await harness.run('exec', '-i', 'web', '--', 'cat')).toBe(0);
  expect(harness.out).toBe('[ab]');
  expect(harness.err).toBe('');
});

test('a terminal is raw while the command runs, and its size is sent whenever it changes', async () => {
  const sizes: string[] = [];
  const input = new TypedInput(true, []);
  const { kubeconfig, targets } = await startServer((socket) => {
    socket.on('message', (data: Buffer) => {
      if (data[0] !== 4) return;
      sizes.push(data.subarray(1).toString());
      if (sizes.length === 2) end(socket, SUCCESS);
    });
  });
  const harness = new CliHarness({ KUBECONFIG: kubeconfig }, input);
  const ended = harness.run('exec', '-it', 'web', '--', 'sh');
  await vi.waitFor(() => expect(sizes).toHaveLength(1));
  input.columns = 120;
  input.resize();
  expect(await ended).toBe(0);
  expect(sizes).toEqual(['{"Width":80,"Height":24}', '{"Width":120,"Height":24}']);
  expect(input.raw).toEqual([true, false]);
  expect(targets[0]).toContain('stdin=true&tty=true');
});

test('without a terminal none is requested', async () => {
  const { kubeconfig, targets } = await startServer((socket) => end(socket, SUCCESS));
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  expect(await harness.run('exec', '-it', 'web', '--', 'sh')).toBe(0);
  expect(harness.err).toBe('Unable to use a TTY - input is not a terminal\n');
  expect(targets[0]).not.toContain('tty');
});

test.each([
  [
    'the exit code of the command',
    { status: 'Failure', details: { causes: [{ reason: 'ExitCode', message: '42' }] } },
    42,
    'command terminated with exit code 42\n',
  ],
  ['a failure', { status: 'Failure', message: 'no such container' }, 1, 'no such container'],
])('%s is reported', async (_what, status, code, sentence) => {
  const { kubeconfig } = await startServer((socket) => end(socket, status));
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  expect(await harness.run('exec', 'web', '--', 'x')).toBe(code);
  expect(harness.err).toContain(sentence);
});

test('a connection that ends before the command is a failure', async () => {
  const { kubeconfig } = await startServer((socket) => socket.terminate());
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  expect(await harness.run('exec', 'web', '--', 'x')).toBe(1);
  expect(harness.err).toContain('EXEC_FAILED: the connection ended before the command');
});

test('a refusal is printed in the words of the server', async () => {
  const { kubeconfig } = await startServer(null);
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  expect(await harness.run('exec', 'web', '--', 'x')).toBe(1);
  expect(harness.err).toBe('Error from server (Forbidden): not you\n');
});

test('Ctrl-C ends it, and the server notices', async () => {
  const sockets: WebSocket[] = [];
  const { kubeconfig } = await startServer((socket) => void sockets.push(socket));
  const harness = new CliHarness({ KUBECONFIG: kubeconfig });
  const ended = harness.run('exec', 'web', '--', 'sleep', '1000');
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  harness.signal('SIGINT');
  expect(await ended).toBe(130);
  await vi.waitFor(() => expect(sockets[0]?.readyState).toBe(3));
});
