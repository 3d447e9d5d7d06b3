/** Adds the audit ID header to responses, and calls back when they end, without serializing them. */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import { bodyWithEnd } from '../flow/stream-end.ts';

const HEADER = 'audit-id';

export function withAuditId(answer: ApiResponse, id: string): ApiResponse {
  const headers = [...answer.headers, [HEADER, id] as const];
  const { object } = answer;
  if (object) return new ObjectAnswer(answer, object, headers);
  const { status, body, events } = answer;
  return { status, headers, body, ...(events && { events }) };
}

/** `onEnd` is called once: at the end, on an error, or when the client disconnects. */
export function withAnswerEnd(answer: ApiResponse, onEnd: () => void): ApiResponse {
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const { status, headers, events, object } = answer;
  if (events) return { status, headers, body: null, events: eventsWithEnd(events, end) };
  if (object) {
    end();
    return answer;
  }
  return { status, headers, body: bodyWithEnd(answer.body, end) };
}

type Events = NonNullable<ApiResponse['events']>;

function eventsWithEnd(events: Events, onEnd: () => void): Events {
  return {
    next: async () => {
      const result = await events.next();
      if (result.done) onEnd();
      return result;
    },
    return: async () => {
      onEnd();
      return (await events.return?.()) ?? { done: true, value: undefined };
    },
  };
}

class ObjectAnswer implements ApiResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly object: JsonObject;
  readonly #inner: ApiResponse;

  constructor(inner: ApiResponse, object: JsonObject, headers: ApiResponse['headers']) {
    this.#inner = inner;
    this.status = inner.status;
    this.object = object;
    this.headers = headers;
  }

  get body(): ApiResponse['body'] {
    return this.#inner.body;
  }
}
