/**
 * A client of the Kubernetes API: sends requests and reads answers in JSON, over any transport.
 *
 * The client does not retry. The caller knows best what a failure means and how long to wait: the status
 * manager per pod, an informer per watch. The caller gets an ApiError with the server's message, or an error
 * that says why there was no answer.
 */
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { parseExactJson } from '../lib/json-text/exact-json.ts';
import type { Clock } from '../ports/clock.ts';
import type { KubeApi, KubeRequest, KubeWatchEvent } from '../ports/api/kube-api.ts';
import { readLines, readWhole } from './answer-body.ts';
import { refusalOf } from './api-status.ts';
import { apiAnswerBroken, apiTimedOut } from './client-errors.ts';
import { RateLimiter, type RateLimit } from './rate-limiter.ts';
import { within } from './time-limit.ts';
import type { Transport, WireRequest } from './transport/transport.ts';

export interface KubeApiOptions {
  readonly clock: Clock;
  /** podkeep's version, for the User-Agent. */
  readonly version: string;
  /** kubeAPIQPS and kubeAPIBurst; absent: no limit. */
  readonly rateLimit?: RateLimit;
  /** The timeout of a request, without the wait for the rate limit. */
  readonly requestTimeoutMs?: number;
  /** The maximum length of a line of a watch, in UTF-16 units. */
  readonly lineCharsMax?: number;
}

/** kube-apiserver's own timeout for a request. */
const REQUEST_TIMEOUT_MS = 60_000;
/** etcd limits objects to 1.5 MB; as JSON with escapes they are a few times as long. */
const LINE_CHARS_MAX = 16 * 2 ** 20;

export function createKubeApi(transport: Transport, options: KubeApiOptions): KubeApi {
  return new JsonKubeApi(transport, options);
}

class JsonKubeApi implements KubeApi {
  readonly #transport: Transport;
  readonly #options: KubeApiOptions;
  readonly #limiter: RateLimiter;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(transport: Transport, options: KubeApiOptions) {
    const { clock, version, rateLimit = { qps: -1, burst: 1 } } = options;
    this.#transport = transport;
    this.#options = options;
    this.#limiter = new RateLimiter(rateLimit, clock);
    this.#headers = { accept: 'application/json', 'user-agent': `podkeep/${version}` };
  }

  async send(request: KubeRequest, signal?: AbortSignal): Promise<JsonObject> {
    const { clock, requestTimeoutMs: limitMs = REQUEST_TIMEOUT_MS } = this.#options;
    const name = `${request.method} ${request.path}`;
    await this.#limiter.wait(signal);
    const overdue = (): Error => apiTimedOut({ request: name, seconds: limitMs / 1000 });
    return within({ clock, limitMs, overdue }, signal, async (bounded) => {
      const response = await this.#transport.send(this.#toWire(request), bounded);
      const { status, object } = response;
      const isRefused = status < 200 || status > 299;
      if (object && !isRefused) return object;
      const text = await readWhole(response.body, name);
      if (isRefused) throw refusalOf(response, text, name, clock.now());
      return readObject(text, name);
    });
  }

  async *watch(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<KubeWatchEvent> {
    const { clock, lineCharsMax = LINE_CHARS_MAX } = this.#options;
    const name = `watch of ${path}`;
    await this.#limiter.wait(signal);
    const wire = this.#toWire({ method: 'GET', path, query: { ...query, watch: 'true' } });
    const response = await this.#transport.send(wire, signal);
    if (response.status !== 200) {
      throw refusalOf(response, await readWhole(response.body, name), name, clock.now());
    }
    if (response.events) return yield* response.events;
    for await (const line of readLines(response.body, name, lineCharsMax)) {
      yield readEvent(line, name);
    }
  }

  #toWire({ method, path, query, body, contentType }: KubeRequest): WireRequest {
    const search = query ? new URLSearchParams(query).toString() : '';
    return {
      method,
      target: search === '' ? path : `${path}?${search}`,
      headers: body
        ? { ...this.#headers, 'content-type': contentType ?? 'application/json' }
        : this.#headers,
      body: body ?? null,
    };
  }
}

function readObject(text: string, request: string): JsonObject {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw apiAnswerBroken({ request, problem: 'it is not JSON' }, error);
  }
  if (!isJsonObject(value)) throw apiAnswerBroken({ request, problem: 'it is not an object' });
  return value;
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set<KubeWatchEvent['type']>([
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
]);

function readEvent(line: string, request: string): KubeWatchEvent {
  const event = readObject(line, request);
  const { type, object } = event;
  if (!isEventType(type) || !isJsonObject(object)) {
    throw apiAnswerBroken({ request, problem: 'it has a line that is not a watch event' });
  }
  return { type, object };
}

function isEventType(type: unknown): type is KubeWatchEvent['type'] {
  return EVENT_TYPES.has(type);
}
