/** An event recorder on an API with answers that a test sets. */
import { seededRandom } from '../../src/platform/seeded-random.ts';
import {
  ApiEventRecorder,
  type ApiEventRecorderOptions,
} from '../../src/kubelet/events/api-event-recorder.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiError, type StatusCause } from '../../src/ports/api/api-client.ts';
import type { KubeRequest } from '../../src/ports/api/kube-api.ts';
import type { Log } from '../../src/ports/log.ts';
import { VirtualClock } from './virtual-clock.ts';

export type EventReply = (
  request: KubeRequest,
  signal: AbortSignal | undefined,
) => JsonObject | Promise<JsonObject>;

export const POD = { uid: 'web-uid', name: 'web', namespace: 'default' };

export class EventHarness {
  readonly clock = new VirtualClock();
  readonly requests: KubeRequest[] = [];
  /** When each of them was sent, in milliseconds since the start. */
  readonly times: number[] = [];
  /** Log lines, except those at debug level. */
  readonly given: string[] = [];
  readonly recorder: ApiEventRecorder;
  underWay = 0;
  underWayMax = 0;
  readonly #replies: EventReply[] = [];
  #usual: EventReply = () => ({});

  constructor(options: Partial<ApiEventRecorderOptions> = {}) {
    const say = (level: string) => (message: string) =>
      void this.given.push(`${level}: ${message}`);
    const [warn, error, info] = [say('warn'), say('error'), say('info')];
    const log: Log = { debug: () => {}, info, warn, error };
    this.recorder = new ApiEventRecorder({
      api: { send: (request, signal) => this.#send(request, signal) },
      clock: this.clock,
      random: seededRandom(3),
      log,
      component: 'kubelet',
      host: 'node1',
      qps: -1,
      burst: 1,
      ...options,
    });
  }

  /** The answers to the next requests; after them, those of `usually`. */
  next(...replies: readonly EventReply[]): void {
    this.#replies.push(...replies);
  }

  usually(reply: EventReply): void {
    this.#usual = reply;
  }

  record(message = 'said', pod = POD, reason = 'Pulled'): void {
    this.recorder.record(pod, 'Normal', reason, message);
  }

  /** Of the event that this request creates. */
  nameOf(index: number): string {
    const body = this.requests[index]?.body as { readonly metadata?: { readonly name: string } };
    return body.metadata?.name ?? 'none';
  }

  /** Method, message and count, such as `PATCH said 2`. */
  get story(): readonly string[] {
    return this.requests.map(({ method, body }) => {
      const { message, count } = body as { readonly message: string; readonly count: number };
      return `${method} ${message} ${count}`;
    });
  }

  async #send(request: KubeRequest, signal?: AbortSignal): Promise<JsonObject> {
    this.requests.push(request);
    this.times.push(this.clock.monotonic());
    this.underWay += 1;
    this.underWayMax = Math.max(this.underWay, this.underWayMax);
    try {
      return await (this.#replies.shift() ?? this.#usual)(request, signal);
    } finally {
      this.underWay -= 1;
    }
  }
}

export function refuse(
  statusCode: number,
  reason: string,
  causes: readonly StatusCause[] = [],
): EventReply {
  return () => {
    throw new ApiError({ statusCode, reason, message: reason, causes });
  };
}

export const unreachable: EventReply = () => {
  throw new Error('connect ECONNREFUSED');
};

/** No answer until the caller gives up. */
export const silence: EventReply = (_request, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
