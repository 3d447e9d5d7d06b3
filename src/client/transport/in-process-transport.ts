/**
 * The way to an API server in this same process: a function call.
 *
 * There is no socket to close, so nothing tells the server that somebody lost interest. Therefore an
 * aborted request is left behind here, and its answer, should it still come, is cancelled.
 *
 * Nor does anything here ever wait for the world: a thousand pods could be brought up without a timer
 * or a socket having its turn in between. So now and then a request waits until they had it.
 */
import type { Clock } from '../../ports/clock.ts';
import type { ApiHeaders, ApiResponse, HttpHandler, Visitor } from '../../ports/http-handler.ts';
import type { Transport, WireResponse } from './transport.ts';

/** The host means nothing: what is asked for is the path. */
const ORIGIN = 'http://podkeep';

/** How long requests may follow one another before others have their turn. */
const TURN_MS = 10;

/** `visitor` is whom the server takes us for. Without a clock, nobody else gets a turn. */
export function createInProcessTransport(
  server: Pick<HttpHandler, 'answer'>,
  visitor: Visitor = {},
  clock?: Clock,
): Transport {
  const letOthers = clock ? turns(clock) : () => null;
  return {
    async send({ method, target, headers, body }, signal) {
      const turn = letOthers();
      if (turn) await turn;
      signal.throwIfAborted();
      const request = {
        method,
        url: `${ORIGIN}${target}`,
        headers: headersOf(headers),
        body: body === null ? null : bytesOf(body),
      };
      return toWire(await answerOrAbort(server.answer(request, visitor), signal), signal);
    },
    close: () => Promise.resolve(),
  };
}

/** Null: nobody has waited for long. Otherwise what ends when timers and sockets had their turn. */
function turns(clock: Clock): () => Promise<void> | null {
  let beganAtMs = clock.monotonic();
  let others: Promise<void> | null = null;
  return () => {
    if (others || clock.monotonic() - beganAtMs < TURN_MS) return others;
    others = new Promise((resolve) => {
      clock.after(0, () => {
        others = null;
        beganAtMs = clock.monotonic();
        resolve();
      });
    });
    return others;
  };
}

// oxlint-disable-next-line typescript/require-await -- the body of a request is asynchronous by type
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function answerOrAbort(answer: Promise<ApiResponse>, signal: AbortSignal): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    answer.then((response) => {
      signal.removeEventListener('abort', leave);
      if (signal.aborted) cancelBody(response, signal);
      resolve(response);
    }, reject);
  });
}

function cancelBody({ body }: ApiResponse, signal: AbortSignal): void {
  if (body instanceof ReadableStream) body.cancel(signal.reason).catch(() => {});
}

/** The standard's Headers costs more than all else that happens on this way. */
function headersOf(headers: Readonly<Record<string, string>>): ApiHeaders {
  return {
    get: (name) => headers[name] ?? null,
    [Symbol.iterator]: () => Object.entries(headers)[Symbol.iterator](),
  };
}

function toWire(response: ApiResponse, signal: AbortSignal): WireResponse {
  const { status, headers, object } = response;
  const header = (name: string): string | null => {
    const values = [...headers].filter(([other]) => other.toLowerCase() === name);
    return values.length === 0 ? null : values.map(([, value]) => value).join(', ');
  };
  if (!object) return { status, header, body: toBody(response.body, signal) };
  return {
    status,
    header,
    object,
    get body() {
      return toBody(response.body, signal);
    },
  };
}

function toBody(body: ApiResponse['body'], signal: AbortSignal): WireResponse['body'] {
  if (body === null) return '';
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : readStream(body, signal);
}

/** A read that waits ends at once when the signal is aborted, because the stream is cancelled. */
async function* readStream(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const cancel = (): void => {
    reader.cancel(signal.reason).catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
