import { createServer } from 'node:net';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GrpcHarness, sendMessage } from '../../../../test/support/grpc-harness.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { systemClock } from '../../../platform/system-clock.ts';
import { GrpcClient } from './grpc-client.ts';

const CALL = '/test.Service/Call';
const ASK = { name: 'Call' };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (message: Uint8Array): string => new TextDecoder().decode(message);

async function harnessOf(messageBytesMax?: number) {
  const harness = new GrpcHarness(makeTempFolder());
  await harness.start();
  const client = new GrpcClient({
    socketPath: harness.socketPath,
    clock: systemClock,
    ...(messageBytesMax !== undefined && { messageBytesMax }),
  });
  onTestFinished(async () => {
    client.close();
    await harness.stop();
  });
  return { harness, client };
}

test('a call returns the answer of the service, however large it is', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, (request) => new Uint8Array(3_000_000).fill(request[0] ?? 0));
  const answer = await client.unary(CALL, bytes('x'), { ...ASK, deadlineMs: 60_000 });
  expect(answer.length).toBe(3_000_000);
  expect(answer[2_999_999]).toBe('x'.charCodeAt(0));
  expect(harness.calls[0]).toMatchObject({
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': '60000m',
  });
});

test('many calls at once share one connection', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, (request) => request);
  const words = Array.from({ length: 200 }, (_, index) => `call ${index}`);
  const answers = await Promise.all(words.map((word) => client.unary(CALL, bytes(word), ASK)));
  expect(answers.map(text)).toEqual(words);
  expect(harness.sessionCount).toBe(1);
});

test('many slow calls do not block others', async () => {
  const { harness, client } = await harnessOf();
  const SLOW = '/test.Service/Slow';
  harness.handlers.set(SLOW, () => null);
  harness.handlers.set(CALL, (request) => request);
  const abort = new AbortController();
  const slow = Array.from({ length: 300 }, () =>
    client.unary(SLOW, bytes(''), { ...ASK, signal: abort.signal }).catch(() => 'left'),
  );
  await vi.waitFor(() => expect(harness.calls).toHaveLength(300));
  expect(text(await client.unary(CALL, bytes('still'), { ...ASK, deadlineMs: 5000 }))).toBe(
    'still',
  );
  abort.abort(new Error('enough'));
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['left']));
});

test.each([
  [5, 'RUNTIME_NOT_FOUND', 'NotFound'],
  [4, 'RUNTIME_TIMED_OUT', 'DeadlineExceeded'],
  [12, 'RUNTIME_CALL_UNSUPPORTED', 'Unimplemented'],
  [14, 'RUNTIME_UNAVAILABLE', 'Unavailable'],
  [2, 'RUNTIME_REFUSED', 'Unknown'],
  [99, 'RUNTIME_REFUSED', 'Unknown'],
])('status %i is the error %s', async (status, code, name) => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, () => ({ status, message: 'größe 100% "quoted"' }));
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject({
    code,
    message: `rpc error: code = ${name} desc = größe 100% "quoted"`,
  });
});

test('a call that takes too long is given up and cancelled in the service', async () => {
  const { harness, client } = await harnessOf();
  const cancelled = vi.fn<() => void>();
  harness.handlers.set(CALL, (_request, stream) => {
    stream.on('aborted', cancelled);
    return null;
  });
  await expect(client.unary(CALL, bytes(''), { ...ASK, deadlineMs: 20 })).rejects.toMatchObject({
    code: 'RUNTIME_TIMED_OUT',
    message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  });
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
});

test('calls that time out cause one ping, and none if something was received', async () => {
  const { harness, client } = await harnessOf();
  const LATER = '/test.Service/Later';
  harness.handlers.set(LATER, () => null);
  harness.handlers.set(CALL, (request) => request);
  const late = (deadlineMs = 30): Promise<unknown> =>
    client.unary(LATER, bytes(''), { ...ASK, deadlineMs }).catch(() => undefined);
  // Long enough for the other call to be answered meanwhile, on a busy machine too.
  const begun = late(1500);
  await client.unary(CALL, bytes(''), ASK);
  await begun;
  // A call is answered after everything that was sent before it, pings too.
  await client.unary(CALL, bytes(''), ASK);
  expect(harness.pings).toBe(0);
  for (let round = 0; round < 5; round += 1) await Promise.all([late(), late()]);
  await client.unary(CALL, bytes(''), ASK);
  expect(harness.pings).toBe(1);
  expect(harness.sessionCount).toBe(1);
});

test('a caller that aborts gets the reason, and the call is cancelled in the service', async () => {
  const { harness, client } = await harnessOf();
  const abort = new AbortController();
  const cancelled = vi.fn<() => void>();
  harness.handlers.set(CALL, (_request, stream) => {
    stream.on('aborted', cancelled);
    abort.abort(new Error('gone'));
    return null;
  });
  const call = client.unary(CALL, bytes(''), { ...ASK, signal: abort.signal });
  await expect(call).rejects.toThrow('gone');
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
  await expect(client.unary(CALL, bytes(''), { ...ASK, signal: abort.signal })).rejects.toThrow(
    'gone',
  );
});

test('a service that is down is unavailable immediately, and found again when it is back', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, (request) => request);
  await client.unary(CALL, bytes(''), ASK);
  await harness.stop();
  // The first call may still be put on the connection that was lost.
  const refusal = { code: 'RUNTIME_UNAVAILABLE', retry: 'backoff' };
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject(refusal);
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toThrow('no such file or directory');
  await harness.start();
  expect(text(await client.unary(CALL, bytes('back'), ASK))).toBe('back');
});

test('a socket without a listener is refused with a reason', async () => {
  const folder = makeTempFolder();
  const socketPath = path.join(folder, 'left.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const client = new GrpcClient({ socketPath, clock: systemClock });
  server.close();
  rmSync(socketPath, { force: true });
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toThrow(
    `transport: Error while dialing: dial unix ${socketPath}: connect: no such file or directory`,
  );
});

test('a call that runs when the service dies fails, and is not repeated', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, () => {
    void harness.stop();
    return null;
  });
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
  });
  expect(harness.calls).toHaveLength(1);
});

test('messages of a stream are passed on as they come, until it ends or the caller aborts', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, (_request, stream) => {
    for (const word of ['one', 'two']) sendMessage(stream, bytes(word));
    return null;
  });
  const heard: string[] = [];
  const abort = new AbortController();
  const listening = client.stream(CALL, bytes(''), { ...ASK, signal: abort.signal }, (message) => {
    heard.push(text(message));
    if (heard.length === 2) abort.abort(new Error('enough'));
  });
  await expect(listening).rejects.toThrow('enough');
  expect(heard).toEqual(['one', 'two']);
});

test('an answer that is too large is refused before it is read', async () => {
  const { harness, client } = await harnessOf(1000);
  harness.handlers.set(CALL, () => new Uint8Array(1001));
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject({
    code: 'RUNTIME_ANSWER_BROKEN',
    message: expect.stringContaining('1001 bytes') as string,
  });
});

test('a server that does not speak HTTP/2 is reported as such', async () => {
  const folder = makeTempFolder();
  const socketPath = path.join(folder, 'other.sock');
  const server = createServer((socket) => {
    socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const client = new GrpcClient({ socketPath, clock: systemClock });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
  });
});

test('a connection without answers is given up, and the next call opens another', async () => {
  const socketPath = path.join(makeTempFolder(), 'asleep.sock');
  const connected = vi.fn<() => void>();
  const server = createServer((socket) => {
    connected();
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const clock = new VirtualClock();
  const client = new GrpcClient({ socketPath, clock });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  /** Nothing is due before the call has been sent, which takes real time. */
  const giveUp = async (): Promise<void> => {
    let outcome = 'still waiting';
    void client
      .unary(CALL, bytes(''), { ...ASK, deadlineMs: 1000 })
      .catch((error: unknown) => (outcome = String(error)));
    await vi.waitFor(async () => {
      await clock.pass(1000);
      expect(outcome).toMatch(/deadline exceeded/);
    });
  };
  await giveUp();
  expect(connected).toHaveBeenCalledTimes(1);
  await clock.pass(20_000);
  await giveUp();
  expect(connected).toHaveBeenCalledTimes(2);
});

test('after it was closed, nothing more is called', async () => {
  const { harness, client } = await harnessOf();
  harness.handlers.set(CALL, () => null);
  const running = client.unary(CALL, bytes(''), ASK);
  await vi.waitFor(() => expect(harness.calls).toHaveLength(1));
  client.close();
  await expect(running).rejects.toMatchObject({ code: 'RUNTIME_UNAVAILABLE' });
  await expect(client.unary(CALL, bytes(''), ASK)).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
  });
});
