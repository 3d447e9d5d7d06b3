/**
 * Calls back at the end of a response: when its body is read completely, when it fails, or when the client
 * disconnects.
 */
import type { ApiResponse } from '../../ports/api/http-handler.ts';

export function withEnd(answer: ApiResponse, onEnd: () => void): ApiResponse {
  const { status, headers, body } = answer;
  const watched = bodyWithEnd(body, onEnd);
  return watched === body ? answer : { status, headers, body: watched };
}

/** A body that is not a stream has already ended. */
export function bodyWithEnd<Body>(
  body: Body | ReadableStream<Uint8Array>,
  onEnd: () => void,
): Body | ReadableStream<Uint8Array> {
  if (body instanceof ReadableStream) return withStreamEnd(body, onEnd);
  onEnd();
  return body;
}

function withStreamEnd(
  stream: ReadableStream<Uint8Array>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
