/** Attaches a client to a running container through the container's monitor. */
import { PassThrough, Writable } from 'node:stream';
import type { StreamRequest, Streams } from '../../../ports/runtime/streams.ts';
import type { Container } from './container.ts';
import { attachUnavailable, containerNotRunning } from '../errors.ts';
import { MonitorClient } from './monitor-client.ts';
import { hasMonitor } from './records.ts';

export async function attachTo(container: Container, request: StreamRequest): Promise<Streams> {
  const { record, state } = container;
  if (state !== 'running') throw containerNotRunning({ id: record.id, state });
  if (!hasMonitor(record)) throw attachUnavailable({ name: record.config.name });
  const { tty, stdin: readsInput } = record.config;
  const outputs = {
    o: request.stdout ? new PassThrough() : null,
    e: request.stderr && !tty ? new PassThrough() : null,
  };
  const client = await connect(container);
  await greet(client, outputs);
  const stdin = request.stdin && readsInput ? inputOf(client, record.config.stdinOnce) : null;
  const leave = (): void => {
    client.close();
    stdin?.destroy();
    outputs.o?.end();
    outputs.e?.end();
  };
  const ended = container
    .ended(request.signal)
    .then(() => container.result?.exitCode ?? 0)
    .finally(leave);
  ended.catch(() => undefined);
  return {
    stdin,
    stdout: outputs.o,
    stderr: outputs.e,
    ended,
    resize: (columns, rows) => {
      if (tty) client.send('w', `${columns} ${rows}`);
    },
  };
}

async function connect({ record, folder }: Container): Promise<MonitorClient> {
  const { id } = record;
  return MonitorClient.connect(folder).catch((error: unknown) => {
    throw containerNotRunning({ id, state: 'about to end' }, error);
  });
}

/**
 * Subscribes to the output; resolves when the monitor has confirmed it, so that no later output is missed.
 */
function greet(
  client: MonitorClient,
  outputs: { readonly o: PassThrough | null; readonly e: PassThrough | null },
): Promise<void> {
  return new Promise((resolve) => {
    client.onClose(resolve);
    client.listen((message, bytes) => {
      if (message === 'h') resolve();
      if (message !== 'o' && message !== 'e') return;
      const output = outputs[message];
      if (output === null || output.writableEnded || output.write(bytes)) return;
      client.pause();
      output.once('drain', () => client.resume());
    });
    client.send('h', `${outputs.o ? 'o' : ''}${outputs.e ? 'e' : ''}`);
  });
}

/** With `stdinOnce` the container's stdin is closed when the first client closes it. */
function inputOf(client: MonitorClient, isOnce: boolean): Writable {
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => client.send('i', chunk, done),
    final: (done) => {
      if (isOnce) client.send('c', '', done);
      else done();
    },
  });
}
