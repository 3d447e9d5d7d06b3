/**
 * The way to an API server in this same process: a function call.
 *
 * There is no socket to close, so nothing tells the server that somebody lost interest. Therefore an
 * aborted request is left behind here, and its answer, should it still come, is cancelled.
 */
import type { ApiResponse, HttpHandler, Visitor } from '../../ports/http-handler.ts';
import type { Transport, WireResponse } from './transport.ts';

/** The host means nothing: what is asked for is the path. */
const ORIGIN = 'http://podkeep';

/** `visitor` is whom the server takes us for. */
export function createInProcessTransport(
  server: Pick<HttpHandler, 'answer'>,
  visitor: Visitor = {},
): Transport {
  return {
    async send({ method, target, headers, body }, signal) {
      signal.throwIfAborted();
      const request = {
        method,
        url: `${ORIGIN}${target}`,
        headers: new Headers(headers),
        body: body === null ? null : bytesOf(body),
      };
      return toWire(await answerOrAbort(server.answer(request, visitor), signal), signal);
    },
    close: () => Promise.resolve(),
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

function toWire({ status, headers, body }: ApiResponse, signal: AbortSignal): WireResponse {
  const named = new Headers([...headers].map(([name, value]) => [name, value]));
  return { status, header: (name) => named.get(name), body: toBody(body, signal) };
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
