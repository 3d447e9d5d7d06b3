/**
 * The Transport to an API server in this process: a function call.
 *
 * There is no socket whose end would show the server that the client has disconnected. So the transport
 * abandons an aborted request, and cancels its answer if it still arrives.
 *
 * There is also no I/O to wait for: a thousand pods could be started without a timer or a socket event in
 * between. So from time to time a request yields to the event loop.
 */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ApiHeaders,
  ApiRequest,
  ApiResponse,
  HttpHandler,
  InProcess,
  ClientIdentity,
} from '../../ports/api/http-handler.ts';
import type { Transport, WireResponse } from './transport.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

/** The host has no meaning; only the path is used. */
const ORIGIN = 'http://podkeep';

/** How long requests may run before one yields to the event loop. */
const TURN_MS = 10;

/** `clientIdentity`: the identity that the server sees. Without a clock, requests never yield. */
export function createInProcessTransport(
  server: Pick<HttpHandler, 'answer'>,
  clientIdentity: ClientIdentity = {},
  clock?: Clock,
): Transport {
  const letOthers = clock ? turns(clock) : () => null;
  return {
    async send({ method, target, headers, body }, signal) {
      const turn = letOthers();
      if (turn) await turn;
      signal.throwIfAborted();
      const url = `${ORIGIN}${target}`;
      const request = new InProcessRequest(method, url, headersOf(headers), body);
      return toWire(await answerOrAbort(server.answer(request, clientIdentity), signal), signal);
    },
    close: () => Promise.resolve(),
  };
}

/** Null: timers and sockets have not waited long. Otherwise a promise that resolves after they have run. */
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

/** The body is converted to text only when it is read, which is rare. */
class InProcessRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ApiHeaders;
  readonly inProcess: InProcess;

  constructor(method: string, url: string, headers: ApiHeaders, object: InProcess['object']) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.inProcess = { object };
  }

  get body(): AsyncIterable<Uint8Array> | null {
    const { object } = this.inProcess;
    return object === null ? null : bytesOf(printExactJson(object));
  }
}

// oxlint-disable-next-line typescript/require-await -- the body of a request is asynchronous by type
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function answerOrAbort(answer: Promise<ApiResponse>, signal: AbortSignal): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    onAbort(signal, leave);
    answer.then((response) => {
      offAbort(signal, leave);
      if (signal.aborted) cancelBody(response, signal);
      resolve(response);
    }, reject);
  });
}

function cancelBody({ body, events }: ApiResponse, signal: AbortSignal): void {
  void events?.return?.();
  if (body instanceof ReadableStream) body.cancel(signal.reason).catch(() => {});
}

/** The standard Headers costs more than everything else in this transport. */
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
  if (response.events) {
    return { status, header, body: '', events: readAll(response.events, signal) };
  }
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
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return readAll(chunksOf(body), signal);
}

/** The stream's own iterator would end a pending read only when data arrives. */
function chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array, unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read(),
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** A pending read ends immediately when the signal is aborted, because its source is cancelled. */
async function* readAll<Item>(
  source: AsyncIterator<Item, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const cancel = (): void => {
    source.return?.().catch(() => {});
  };
  onAbort(signal, cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await source.next();
      signal.throwIfAborted();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    offAbort(signal, cancel);
    cancel();
  }
}
