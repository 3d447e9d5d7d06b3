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
import type {
  ApiHeaders,
  ApiRequest,
  ApiResponse,
  HttpHandler,
  InProcess,
  ClientIdentity,
} from '../../ports/http-handler.ts';
import type { Transport, WireResponse } from './transport.ts';

/** The host means nothing: what is asked for is the path. */
const ORIGIN = 'http://podkeep';

/** How long requests may follow one another before others have their turn. */
const TURN_MS = 10;

/** `clientIdentity` is whom the server takes us for. Without a clock, nobody else gets a turn. */
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

/** Its text is made when somebody asks for it, which hardly anybody does. */
class InProcessRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ApiHeaders;
  readonly inProcess: InProcess;

  constructor(method: string, url: string, headers: ApiHeaders, said: InProcess['said']) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.inProcess = { said };
  }

  get body(): AsyncIterable<Uint8Array> | null {
    const { said } = this.inProcess;
    return said === null ? null : bytesOf(JSON.stringify(said));
  }
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

function cancelBody({ body, events }: ApiResponse, signal: AbortSignal): void {
  void events?.return?.();
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

/** A stream's own iterator would end a read that waits only when there is something to read. */
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

/** A read that waits ends at once when the signal is aborted, because its source is left. */
async function* readAll<Item>(
  source: AsyncIterator<Item, unknown>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const cancel = (): void => {
    source.return?.().catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await source.next();
      signal.throwIfAborted();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
