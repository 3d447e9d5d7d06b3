/**
 * Connects a stream of a port-forward client to a port of a pod. Each direction ends separately, as in a
 * direct connection.
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

export interface PortForwarding {
  readonly sandboxId: string;
  readonly connectPort: (sandboxId: string, port: number) => Promise<Duplex>;
}

/** Never rejects. Null: success. Otherwise the message for the client's error stream. */
export async function forwardPort(
  data: Duplex,
  port: number,
  { sandboxId, connectPort }: PortForwarding,
): Promise<string | null> {
  try {
    const connection = await connectPort(sandboxId, port);
    await join(data, connection);
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `error forwarding port ${port} to pod ${sandboxId}, uid : ${why}`;
  }
}

/** Rejects if the pod's side breaks. A client that breaks off has only disconnected. */
async function join(data: Duplex, connection: Duplex): Promise<void> {
  let failure: Error | null = null;
  connection.on('error', (error) => (failure = error));
  data.once('close', () => {
    // After the client has sent everything, it may still be receiving the answer.
    if (!data.readableEnded || !data.writableFinished) connection.destroy();
  });
  try {
    await Promise.all([carry(data, connection), carry(connection, data)]);
  } finally {
    connection.destroy();
  }
  if (failure) throw failure;
}

/** Resolves when all data has been passed on, or either side has closed. */
async function carry(source: Readable, target: Writable): Promise<void> {
  source.pipe(target);
  await Promise.race([
    finished(source, { writable: false }).catch(() => {}),
    finished(target, { readable: false }).catch(() => {}),
  ]);
  source.unpipe(target);
  if (!target.destroyed) target.end();
  await finished(target, { readable: false }).catch(() => {});
  source.resume();
}
