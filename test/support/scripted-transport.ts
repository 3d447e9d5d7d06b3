/**
 * An API server made of answers that a test has prepared: each request takes the next one.
 *
 * A `Feed` is a body that the test writes chunk by chunk, and ends as it likes.
 */
import type { Transport, WireRequest, WireResponse } from '../../src/client/transport/transport.ts';

export type Reply = (
  request: WireRequest,
  signal: AbortSignal,
) => WireResponse | Promise<WireResponse>;

export class ScriptedTransport implements Transport {
  readonly requests: WireRequest[] = [];
  readonly #replies: Reply[] = [];

  next(...replies: readonly Reply[]): void {
    this.#replies.push(...replies);
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    this.requests.push(request);
    const reply = this.#replies.shift() ?? silence;
    return reply(request, signal);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return text(status, JSON.stringify(body), headers);
}

export function text(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return () => ({ status, header: (name) => headers[name] ?? null, body });
}

export function feed(body: Feed, status = 200): Reply {
  return (_request, signal) => {
    signal.addEventListener('abort', () => body.fail(signal.reason), { once: true });
    return { status, header: () => null, body };
  };
}

export function broken(error: Error): Reply {
  return () => {
    throw error;
  };
}

/** No answer until the caller gives up. */
export const silence: Reply = (_request, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

export class Feed implements AsyncIterable<Uint8Array> {
  isClosed = false;
  readonly #chunks: Uint8Array[] = [];
  #end: { readonly error?: unknown } | null = null;
  #wake: () => void = () => {};

  write(text: string | Uint8Array): void {
    this.#chunks.push(typeof text === 'string' ? new TextEncoder().encode(text) : text);
    this.#wake();
  }

  notify(type: string, object: object): void {
    this.write(`${JSON.stringify({ type, object })}\n`);
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          yield chunk;
        } else if (this.#end) {
          if ('error' in this.#end) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.isClosed = true;
    }
  }
}
