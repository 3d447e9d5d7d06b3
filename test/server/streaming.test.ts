/** Exec, attach and port-forward from the connection to the runtime, over every protocol. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { StreamingHarness } from './streaming-harness.ts';

const HOUR_MS = 60 * 60 * 1000;

async function heardOf(stream: Readable, size: number): Promise<string> {
  let heard = '';
  while (heard.length < size) heard += String(await once(stream, 'data'));
  return heard;
}

describe('exec over SPDY', () => {
  test('output, an end of stdin, the exit code, and GOAWAY', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'input=1&output=1&error=1&command=cat&command=-n');
    expect(client.answer).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
        'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
    );
    const {
      error = 0,
      stdin = 0,
      stdout = 0,
      stderr = 0,
    } = client.openTypes('error', 'stdin', 'stdout', 'stderr');
    const command = await harness.nextStarted();
    expect([command.id, command.command]).toEqual(['c1', ['cat', '-n']]);
    client.say(stdin, 'question', true);
    expect(await text(command.stdin)).toBe('question');
    command.stdout.write('answer');
    command.stderr.write('warning');
    command.exit(3);
    await client.until(() => client.has({ type: 'goAway' }));
    expect([client.heard(stdout), client.heard(stderr)]).toEqual(['answer', 'warning']);
    expect(JSON.parse(client.heard(error))).toEqual({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code: exit status 3',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    for (const streamId of [error, stdout, stderr]) {
      expect(client.has({ type: 'data', streamId, isFin: true })).toBe(true);
    }
    expect(client.frames.at(-1)).toEqual({ type: 'goAway', lastStreamId: 7, status: 0 });
    client.socket.end();
    await client.done;
  });

  test('a success is a Status from version 4 on, and empty before', async () => {
    for (const [protocol, given] of [
      ['v4.channel.k8s.io', '{"status":"Success"}'],
      ['v2.channel.k8s.io', ''],
    ] as const) {
      const harness = new StreamingHarness();
      const client = await harness.spdy('exec', 'output=1&command=true', protocol);
      const { error = 0 } = client.openTypes('error', 'stdout');
      (await harness.nextStarted()).exit(0);
      await client.until(() => client.has({ type: 'goAway' }));
      expect(client.heard(error)).toBe(given);
    }
  });

  test('a terminal has its sizes', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'input=1&output=1&tty=1&command=sh');
    const { resize = 0 } = client.openTypes('error', 'stdin', 'stdout', 'resize');
    const command = await harness.nextStarted();
    expect(command.request).toMatchObject({ tty: true, stderr: false });
    client.say(resize, '{"Width":132,"Height":43}\n');
    client.send({ type: 'ping', id: 1 });
    await client.until(() => client.has({ type: 'ping', id: 1 }));
    await expect.poll(() => command.sizes).toEqual([[132, 43]]);
  });

  test('a command that cannot be started is reported on the error stream', async () => {
    const exec = async (): Promise<never> => {
      throw new Error('no such file');
    };
    const harness = new StreamingHarness({ runtime: { exec } });
    const client = await harness.spdy('exec', 'output=1&command=x');
    const { error = 0 } = client.openTypes('error', 'stdout');
    await client.until(() => client.has({ type: 'goAway' }));
    expect(JSON.parse(client.heard(error))).toEqual({
      status: 'Failure',
      reason: 'InternalError',
      message: 'Internal error occurred: error executing command in container: no such file',
      code: 500,
    });
  });

  test('nothing is started until every stream is open, and after 30 s never', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'input=1&output=1&command=x');
    client.openTypes('error', 'stdout');
    await client.until(() => client.has({ type: 'synReply', streamId: 3 }));
    await harness.clock.pass(29_999);
    expect(client.has({ type: 'goAway' })).toBe(false);
    await harness.clock.pass(1);
    await client.until(() => client.has({ type: 'goAway' }));
    expect(harness.started).toEqual([]);
    await client.done;
  });

  test('unexpected streams are reset', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'output=1&command=x');
    const { stdin = 0 } = client.openTypes('stdin');
    await client.until(() => client.has({ type: 'rstStream', streamId: stdin, status: 5 }));
    client.openTypes('error', 'stdout');
    expect((await harness.nextStarted()).request.stdin).toBe(false);
  });

  test('a client that disconnects aborts the signal of its command', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'output=1&command=x');
    client.openTypes('error', 'stdout');
    const { request } = await harness.nextStarted();
    expect(request.signal.aborted).toBe(false);
    client.socket.destroy();
    await client.done;
    expect(request.signal.aborted).toBe(true);
  });

  test('four hours of silence end it, and not a moment less', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'output=1&command=x');
    client.openTypes('error', 'stdout');
    const { request } = await harness.nextStarted();
    await harness.clock.pass(3 * HOUR_MS);
    client.send({ type: 'ping', id: 1 });
    await client.until(() => client.has({ type: 'ping' }));
    await harness.clock.pass(4 * HOUR_MS - 1);
    expect(request.signal.aborted).toBe(false);
    await harness.clock.pass(1);
    expect(request.signal.aborted).toBe(true);
    await client.done;
  });
});

describe('exec over a WebSocket', () => {
  test('version 5: channels, an end of stdin, sizes, a Status, and a regular end', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket(
      'exec',
      'input=1&output=1&error=1&command=cat',
      'v5.channel.k8s.io',
    );
    const command = await harness.nextStarted();
    expect(client.protocol).toBe('v5.channel.k8s.io');
    client.send(0, 'question');
    client.send(4, '{"Width":10,"Height":20}');
    client.sendRaw(Buffer.from([255, 0]));
    expect(await text(command.stdin)).toBe('question');
    command.stdout.write('answer');
    command.stderr.write('warning');
    await client.until(() => client.heard(2) === 'warning');
    command.exit(0);
    expect(await client.closed()).toBe(1000);
    expect(client.messages[0]).toEqual(Buffer.from([1]));
    expect([client.heard(1), client.heard(2), client.heard(3)]).toEqual([
      'answer',
      'warning',
      '{"status":"Success"}',
    ]);
    expect(command.sizes).toEqual([[10, 20]]);
    await client.done;
  });

  test('in base64 everything is text', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket(
      'exec',
      'input=1&output=1&command=x',
      'v4.base64.channel.k8s.io',
    );
    const command = await harness.nextStarted();
    client.sendRaw(`0${Buffer.from('hello').toString('base64')}`);
    expect(await heardOf(command.stdin, 5)).toBe('hello');
    command.stdout.write('world');
    command.exit(1);
    await client.closed();
    const texts = client.messages.map(String);
    expect(texts.slice(0, 2)).toEqual(['1', `1${Buffer.from('world').toString('base64')}`]);
    expect(Buffer.from(texts[2]?.slice(1) ?? '', 'base64').toString()).toContain('"message":"1"');
  });

  test('a client that asks for no protocol gets the oldest: bare text instead of a Status', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'output=1&command=x', '');
    (await harness.nextStarted()).exit(2);
    await client.closed();
    expect(client.heard(3)).toBe('command terminated with non-zero exit code: exit status 2');
  });

  test('version 5: closing an unknown channel ends the connection', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'input=1&command=x', 'v5.channel.k8s.io');
    const { request } = await harness.nextStarted();
    client.sendRaw(Buffer.from([255, 77]));
    expect(await client.closed()).toBe(1002);
    await client.done;
    expect(request.signal.aborted).toBe(true);
  });

  test('data on channels that the client may not write to is dropped', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'output=1&command=x', 'v4.channel.k8s.io');
    const command = await harness.nextStarted();
    for (const channel of [0, 1, 3, 9, 255]) client.send(channel, 'x'.repeat(100_000));
    command.exit(0);
    expect(await client.closed()).toBe(1000);
  });

  test('output keeps a connection alive, and four hours of silence end it', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'output=1&command=x', 'v4.channel.k8s.io');
    const command = await harness.nextStarted();
    await harness.clock.pass(3 * HOUR_MS);
    command.stdout.write('still here');
    await client.until(() => client.heard(1) === 'still here');
    await harness.clock.pass(4 * HOUR_MS - 1);
    expect(command.request.signal.aborted).toBe(false);
    await harness.clock.pass(1);
    await client.done;
    expect(command.request.signal.aborted).toBe(true);
  });

  test('a client that is cut off aborts the signal', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'output=1&command=x', 'v5.channel.k8s.io');
    const { request } = await harness.nextStarted();
    client.terminate();
    await client.done;
    expect(request.signal.aborted).toBe(true);
  });
});

test('an attachment ends with a success, whatever the program ended with, and has its terminal', async () => {
  const harness = new StreamingHarness({ findPod: () => ({ id: 'c1', tty: true }) });
  const client = await harness.webSocket('attach', 'input=1&output=1&error=1', 'v4.channel.k8s.io');
  const attached = await harness.nextStarted();
  expect(attached.request).toMatchObject({ tty: true, stderr: false });
  attached.exit(9);
  await client.closed();
  expect(client.heard(3)).toBe('{"status":"Success"}');
});

describe('refusals', () => {
  async function answerOf(
    harness: StreamingHarness,
    kind: 'exec' | 'attach' | 'portForward',
    query: string,
  ): Promise<string> {
    const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
    const { socket, done } = harness.connect(kind, query, headers);
    const answer = await text(socket);
    await done;
    return answer;
  }

  test('a missing pod', async () => {
    const harness = new StreamingHarness({
      findPod: () => ({ code: 404, message: 'pod does not exist' }),
    });
    const answer = await answerOf(harness, 'exec', 'output=1&command=x');
    expect(answer).toMatch(/^HTTP\/1.1 404 Not Found\r\n[\s\S]*\r\n\r\npod does not exist\n$/);
  });

  test.each([
    ['exec', 'command=x', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    ['exec', 'output=1', 400, 'you must specify at least one command for the container'],
    ['portForward', '', 403, 'unable to upgrade: unable to negotiate protocol'],
  ] as const)('%s?%s is answered with its reason', async (kind, query, code, reason) => {
    const answer = await answerOf(new StreamingHarness(), kind, query);
    expect(answer).toContain(`HTTP/1.1 ${code} `);
    expect(answer).toContain(reason);
  });

  test('a runtime that does not support it', async () => {
    const harness = new StreamingHarness({ runtime: { attach: undefined as never } });
    expect(await answerOf(harness, 'attach', 'output=1')).toContain(
      'this runtime cannot attach to a container',
    );
  });

  test('a client that is gone before it was answered', async () => {
    const harness = new StreamingHarness();
    const { socket, done } = harness.connect('exec', 'output=1', { upgrade: 'SPDY/3.1' });
    socket.destroy();
    await expect(done).resolves.toBeUndefined();
  });
});
