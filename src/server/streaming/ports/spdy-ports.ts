/**
 * Serves port-forward over SPDY: one connection carries many forwarded connections. For each, the client
 * opens a data stream and an error stream with the same request ID.
 */
import type { Duplex } from 'node:stream';
import type { Cancel, Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { SpdySession } from '../../../lib/spdy/spdy-session.ts';
import type { SpdyStream } from '../../../lib/spdy/spdy-stream.ts';
import { faultOfPort } from '../stream-options.ts';
import { forwardPort, type PortForwarding } from './forward-port.ts';

export interface SpdyPortsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly idleMs: number;
  /** How long the second stream of a pair may take to arrive. */
  readonly creationMs: number;
}

/** Resolves when the client has disconnected. */
export async function serveSpdyPorts(
  socket: Duplex,
  forwarding: PortForwarding,
  options: SpdyPortsOptions,
): Promise<void> {
  const { clock, idleMs } = options;
  const pairs = new PortPairs(forwarding, options);
  const session = new SpdySession({ socket, clock, idleMs, accept: (stream) => pairs.add(stream) });
  if (!session.gone.aborted) {
    await new Promise((resolve) => session.gone.addEventListener('abort', resolve, { once: true }));
  }
  pairs.close();
}

/** A pair of which only one stream is open. */
interface HalfPair {
  readonly stream: SpdyStream;
  readonly cancel: Cancel;
}

class PortPairs {
  readonly #forwarding: PortForwarding;
  readonly #options: SpdyPortsOptions;
  readonly #halves = new Map<string, HalfPair>();

  constructor(forwarding: PortForwarding, options: SpdyPortsOptions) {
    this.#forwarding = forwarding;
    this.#options = options;
  }

  /** False: the stream is invalid. */
  add(stream: SpdyStream): boolean {
    const fault = faultOf(stream);
    if (fault !== null) {
      this.#options.log.debug('Refused port-forward stream', { reason: fault });
      return false;
    }
    const id = requestIdOf(stream);
    const half = this.#halves.get(id);
    if (!half) {
      this.#await(id, stream);
      return true;
    }
    if (typeOf(half.stream) === typeOf(stream)) {
      const text = `error processing stream for request ${id}: ${typeOf(stream)} stream already assigned`;
      if (typeOf(half.stream) === 'error') half.stream.write(text);
      return false;
    }
    half.cancel();
    this.#halves.delete(id);
    const isData = typeOf(stream) === 'data';
    void this.#forward(isData ? stream : half.stream, isData ? half.stream : stream);
    return true;
  }

  close(): void {
    for (const { cancel } of this.#halves.values()) cancel();
    this.#halves.clear();
  }

  #await(id: string, stream: SpdyStream): void {
    const { clock, creationMs } = this.#options;
    const cancel = clock.after(creationMs, () => {
      this.#halves.delete(id);
      if (typeOf(stream) === 'error') stream.end(`(request=${id}) timed out waiting for streams`);
      else stream.destroy();
    });
    this.#halves.set(id, { stream, cancel });
    if (typeOf(stream) === 'error') stream.resume();
  }

  async #forward(data: SpdyStream, error: SpdyStream): Promise<void> {
    error.resume();
    const port = Number(data.headers.get('port'));
    const failure = await forwardPort(data, port, this.#forwarding);
    if (failure !== null) {
      this.#options.log.debug('Failed to forward port', { reason: failure });
      error.write(failure);
      data.destroy();
    }
    error.end();
  }
}

function faultOf(stream: SpdyStream): string | null {
  const port = stream.headers.get('port') ?? '';
  if (port === '') return '"port" header is required';
  const type = typeOf(stream);
  if (type === '') return '"streamType" header is required';
  if (type !== 'error' && type !== 'data') return `invalid stream type ${JSON.stringify(type)}`;
  return faultOfPort(port);
}

function typeOf(stream: SpdyStream): string {
  return stream.headers.get('streamtype') ?? '';
}

/** Old clients send no request ID; they open the two streams of a pair one after the other. */
function requestIdOf(stream: SpdyStream): string {
  const given = stream.headers.get('requestid') ?? '';
  if (given !== '') return given;
  return String(typeOf(stream) === 'error' ? stream.id : stream.id - 2);
}
