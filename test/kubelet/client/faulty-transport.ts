/**
 * A network that fails at random, until it is healed: servers that are unreachable, busy or broken, and
 * watches that are cut anywhere, in the middle of a line too, or that get 410 Gone.
 */
import type {
  Transport,
  WireRequest,
  WireResponse,
} from '../../../src/client/transport/transport.ts';
import type { KubeWatchEvent } from '../../../src/ports/api/kube-api.ts';
import type { Random } from '../../../src/ports/random.ts';

const LOST = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

export class FaultyTransport implements Transport {
  isHealed = false;
  faults = 0;
  readonly #inner: Transport;
  readonly #random: Random;

  constructor(inner: Transport, random: Random) {
    this.#inner = inner;
    this.#random = random;
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    if (this.#strikes(0.15)) throw new Error('connection refused');
    if (this.#strikes(0.1)) return refuse(503, {});
    if (this.#strikes(0.1)) return refuse(429, { 'retry-after': '1' });
    if (this.#strikes(0.1)) return refuse(410, {}, LOST);
    const { events, ...response } = await this.#inner.send(request, signal);
    const body = events ? linesOf(events) : response.body;
    return typeof body === 'string' ? response : { ...response, body: this.#cut(body) };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#cut(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      if (this.#strikes(0.08)) {
        yield chunk.subarray(0, Math.floor(chunk.byteLength * this.#random.next()));
        return;
      }
      if (this.#strikes(0.05)) throw new Error('connection reset');
      if (this.#strikes(0.05)) {
        yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: LOST })}\n`);
        return;
      }
      yield chunk;
    }
  }

  #strikes(chance: number): boolean {
    if (this.isHealed || this.#random.next() >= chance) return false;
    this.faults += 1;
    return true;
  }
}

/** As over a network. */
async function* linesOf(events: AsyncIterable<KubeWatchEvent>): AsyncGenerator<Uint8Array> {
  for await (const event of events) yield Buffer.from(`${JSON.stringify(event)}\n`);
}

function refuse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object = { kind: 'Status', code: status, message: 'as ordered' },
): WireResponse {
  return { status, header: (name) => headers[name] ?? null, body: JSON.stringify(body) };
}
