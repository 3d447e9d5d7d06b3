/** Streams of slow clients, and of hostile ones: what we buffer for them is bounded. */
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeHeaders } from '../../src/lib/spdy/header-block.ts';
import { StreamingHarness } from './streaming-harness.ts';

describe('back pressure', () => {
  const KIB = Buffer.alloc(1024, 'x');

  test('a client that does not read stops the command, not the memory', async () => {
    let produced = 0;
    const endless = new Readable({
      read() {
        setImmediate(() => {
          produced += 1;
          this.push(KIB);
        });
      },
    });
    const exec = async (): Promise<object> => ({
      ...{ stdin: null, stdout: endless, stderr: null, resize: () => undefined },
      ended: new Promise(() => {}),
    });
    const harness = new StreamingHarness({ runtime: { exec: exec as never } });
    const client = await harness.spdy('exec', 'output=1&command=yes');
    client.openTypes('error', 'stdout');
    client.socket.pause();
    await expect.poll(() => produced).toBeGreaterThan(0);
    await settled(() => produced);
    expect(produced).toBeLessThan(1024);
    const before = produced;
    client.socket.resume();
    await expect.poll(() => produced).toBeGreaterThan(before + 1024);
    client.socket.destroy();
    await client.done;
  });

  test('a command that does not read stops the client, and a client that disconnects is noticed', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'input=1&command=sleep');
    const { stdin = 0 } = client.openTypes('error', 'stdin');
    const command = await harness.nextStarted();
    let sent = 0;
    while (client.socket.writableLength < 256 * KIB.length && sent < 10_000) {
      client.send({ type: 'data', streamId: stdin, isFin: false, data: KIB });
      sent += 1;
      if (sent % 64 === 0) await settled(() => client.socket.writableLength);
    }
    expect(sent).toBeLessThan(1024);
    client.socket.destroy();
    await client.done;
    expect(command.request.signal.aborted).toBe(true);
  });

  test('a client with flow control is sent no more than its windows allow, and gets window updates', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'input=1&output=1&command=x');
    client.send({ type: 'settings', values: [[7, 1000]] });
    const { stdin = 0, stdout = 0 } = client.openTypes('error', 'stdin', 'stdout');
    const command = await harness.nextStarted();
    command.stdout.write('a'.repeat(3000));
    await client.until(() => client.heard(stdout).length === 1000);
    client.send({ type: 'windowUpdate', streamId: stdout, delta: 500 });
    await client.until(() => client.heard(stdout).length === 1500);
    command.stdin.resume();
    for (let count = 0; count < 32; count += 1) client.say(stdin, 'b'.repeat(1024));
    await client.until(() =>
      client.has({ type: 'windowUpdate', streamId: stdin, delta: 32 * 1024 }),
    );
    await client.until(() => client.has({ type: 'windowUpdate', streamId: 0, delta: 32 * 1024 }));
    command.exit(0);
    client.send({ type: 'windowUpdate', streamId: stdout, delta: 5000 });
    await client.until(() => client.has({ type: 'goAway' }));
    expect(client.heard(stdout)).toHaveLength(3000);
  });

  test('a command that does not read its stdin holds the client back', async () => {
    const harness = new StreamingHarness();
    const client = await harness.webSocket('exec', 'input=1&command=x', 'v5.channel.k8s.io');
    await harness.nextStarted();
    let sent = 0;
    while (client.socket.writableLength < 256 * 1024 && sent < 10_000) {
      client.send(0, 'x'.repeat(1024));
      sent += 1;
      if (sent % 64 === 0) await settled(() => client.socket.writableLength);
    }
    expect(sent).toBeLessThan(1024);
    client.terminate();
    await client.done;
  });
});

/** Until it no longer changes. */
async function settled(read: () => number): Promise<void> {
  for (let last = Number.NaN; last !== read();) {
    last = read();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('hostile clients', () => {
  test('whatever is sent after the upgrade, the connection ends and nothing breaks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        const harness = new StreamingHarness();
        const client = await harness.spdy('exec', 'output=1&command=x');
        client.socket.end(bytes);
        await client.done;
        expect(harness.started).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['an even ID', 2],
    ['zero', 0],
  ])('a stream with %s is reset as an error', async (_what, streamId) => {
    const client = await new StreamingHarness().spdy('exec', 'output=1&command=x');
    const block = encodeHeaders(new Map([['streamtype', 'error']]), true);
    client.send({ type: 'synStream', streamId, isFin: false, isUnidirectional: false, block });
    await client.until(() => client.frames.length > 0);
    expect(client.frames).toEqual([{ type: 'rstStream', streamId, status: 1 }]);
  });

  test('a broken frame is answered with GOAWAY', async () => {
    const client = await new StreamingHarness().spdy('exec', 'output=1&command=x');
    client.socket.write(Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0]));
    await client.until(() => client.frames.length > 0);
    expect(client.frames).toEqual([{ type: 'goAway', lastStreamId: 0, status: 1 }]);
    client.socket.end();
    await client.done;
  });

  test('pings whose answers the client does not read do not pile up', async () => {
    const harness = new StreamingHarness();
    const client = await harness.spdy('exec', 'output=1&command=x');
    client.socket.pause();
    let sent = 0;
    while (client.socket.writableLength < 64 * 1024 && sent < 1_000_000) {
      client.send({ type: 'ping', id: 1 });
      sent += 1;
      if (sent % 50_000 === 0) await settled(() => client.socket.writableLength);
    }
    expect(sent).toBeLessThan(300_000);
    client.socket.destroy();
    await client.done;
  });
});
