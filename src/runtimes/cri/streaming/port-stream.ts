/**
 * Connects to a port inside a sandbox through two streams of the runtime: one carries data, the other the
 * runtime's error.
 *
 * The runtime ends both at the same time. Only the error stream shows whether the connection failed, so the
 * end of the data is passed on after the end of the error stream.
 */
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../ports/clock.ts';
import { streamBroke } from '../errors.ts';
import { openStreaming } from './upgrade.ts';

export interface PortStreamOptions {
  readonly url: string;
  readonly sandboxId: string;
  readonly port: number;
  readonly clock: Clock;
}

const PROTOCOL = 'portforward.k8s.io';
const WHAT = 'port-forward';

export async function openPortStream(options: PortStreamOptions): Promise<Duplex> {
  const { url, sandboxId, port, clock } = options;
  const session = await openStreaming({ url, what: WHAT, protocol: PROTOCOL, clock });
  const headersOf = (type: string): ReadonlyMap<string, string> =>
    new Map([
      ['streamtype', type],
      ['port', String(port)],
      ['requestid', '0'],
    ]);
  const error = session.open(headersOf('error'));
  error.end();
  const data = session.open(headersOf('data'));
  // Null: the error stream broke off, or ended without a message.
  const failure = text(error).then(
    (given) => (given === '' ? null : failureOf(given, sandboxId, port)),
    () => null,
  );
  const connection = new PortConnection(data, failure);
  connection.once('close', () => session.close());
  return connection;
}

/** podkeep's own streaming server adds the same prefix, so the runtime's is removed. */
function failureOf(given: string, sandboxId: string, port: number): Error {
  const prefix = `error forwarding port ${port} to pod ${sandboxId}, uid : `;
  const reason = given.startsWith(prefix) ? given.slice(prefix.length) : given;
  return streamBroke({ reason });
}

class PortConnection extends Duplex {
  readonly #data: Duplex;

  constructor(data: Duplex, failure: Promise<Error | null>) {
    super();
    this.#data = data;
    data.on('data', (chunk) => {
      if (!this.push(chunk)) data.pause();
    });
    data.once('end', () => {
      void failure.then((error) => (error ? this.destroy(error) : this.push(null)));
    });
    data.once('close', () => {
      if (!data.readableEnded) this.destroy();
    });
  }

  override _read(): void {
    this.#data.resume();
  }

  override _write(
    chunk: Uint8Array,
    _encoding: unknown,
    done: (error?: Error | null) => void,
  ): void {
    this.#data.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#data.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#data.destroy();
    done(error);
  }
}
