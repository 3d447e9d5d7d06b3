/**
 * An informer: keeps a local copy of objects of the API server by listing and then watching them.
 *
 *     list ──> watch ──breaks──> watch again, from the last resource version
 *      ▲         │
 *      └─────────┴── 410: the resource version has expired
 *
 * If the server supports it, list and watch are one request (sendInitialEvents): the server sends all
 * objects, a bookmark that ends them, and then the changes. If a server refuses this, or never sends the
 * bookmark, the informer uses separate requests from then on.
 *
 * After a failure the informer waits as client-go does (reconnect-backoff.ts), and at least as long as the
 * server asks. Two retries do not wait: the list after the first 410, because the server itself is healthy,
 * and the first attempt after a working connection broke.
 *
 * Invariants, checked in informer.test.ts, and at random in test/kubelet/client/informer.test.ts:
 *   1. The copy is never older than the objects that handlers have received.
 *   2. Resource versions only increase, unless the server has lost its data.
 *   3. After `stop` no handler is called, and no timer is left.
 */
import { PodkeepError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { ApiError } from '../ports/api/api-client.ts';
import type { Clock } from '../ports/clock.ts';
import type { Informer, InformerRequest, StartInformer } from '../ports/api/informer.ts';
import type { KubeApi, KubeWatchEvent } from '../ports/api/kube-api.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import { statusToError } from './api-status.ts';
import { apiAnswerBroken, apiTimedOut } from './client-errors.ts';
import { InformerCache, metadataOf, versionOf, type Delta } from './informer-cache.ts';
import { listObjects } from './list-pages.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';
import { pause, within } from './time-limit.ts';
import { isExpired, remedyFor, watchTooShort, type Remedy } from './watch-trouble.ts';

export interface InformerPorts {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The timeout of a watch, as in client-go: five to ten minutes. */
const WATCH_SECONDS_MIN = 300;
/** If the server has not ended a watch this long after its timeout, the connection is dead. */
const OVERDUE_MS = 30_000;
/** A watch that ended sooner than this, without an event, counts as failed. */
const SHORT_MS = 1000;
/** How long the server may take to send all initial objects. */
const INITIAL_MS = 60_000;
const INITIAL_END = 'k8s.io/initial-events-end';

/**
 * Creates the informers of one server. They share what they learn: if the server refuses a streaming list to
 * one, the others do not try it.
 */
export function informersOf(ports: InformerPorts): StartInformer {
  const server: ServerTraits = { canStream: true };
  return (request) => createInformer(request, ports, server);
}

interface ServerTraits {
  canStream: boolean;
}

export function createInformer(
  request: InformerRequest,
  ports: InformerPorts,
  server: ServerTraits = { canStream: true },
): Informer {
  const informer = new ListWatch(request, ports, server);
  informer.start();
  return informer;
}

class ListWatch implements Informer {
  readonly #request: InformerRequest;
  readonly #ports: InformerPorts;
  readonly #server: ServerTraits;
  readonly #cache = new InformerCache();
  readonly #backoff: ReconnectBackoff;
  readonly #abort = new AbortController();
  readonly #selectors: Readonly<Record<string, string>>;
  /**
   * The resource version of the newest object or bookmark received. `0`: none yet. Empty: the server does not
   * know the version.
   */
  #version = '0';
  #isInPlace = false;
  /** False: the server refused a streaming list of this kind. */
  #canStream = true;
  /** Events received on the newest connection. */
  #heard = 0;
  /** The version has expired, and no event has been received since. */
  #wasLost = false;
  #hasSynced = false;

  constructor(request: InformerRequest, ports: InformerPorts, server: ServerTraits) {
    const { fieldSelector, labelSelector } = request;
    this.#request = request;
    this.#ports = ports;
    this.#server = server;
    this.#backoff = new ReconnectBackoff(ports.random);
    this.#selectors = {
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(labelSelector !== undefined && { labelSelector }),
    };
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get(key: string): JsonObject | undefined {
    return this.#cache.get(key);
  }

  list(): readonly JsonObject[] {
    return this.#cache.list();
  }

  start(): void {
    void this.#run(this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort(new Error('the informer was stopped'));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    while (!signal.aborted) {
      try {
        if (this.#isInPlace) await this.#watch(signal);
        else if (this.#canStream && this.#server.canStream) await this.#stream(signal);
        else await this.#list(signal);
      } catch (error) {
        if (signal.aborted) return;
        const delayMs = this.#recover(error, this.#isInPlace ? 'watch' : 'list');
        await pause(clock, delayMs, signal).catch(() => {});
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { api } = this.#ports;
    const asked = { path: this.#request.path, query: this.#selectors, version: this.#version };
    const { objects, version } = await listObjects(api, asked, signal);
    if (signal.aborted) return;
    this.#replace(objects, version);
  }

  #watch(signal: AbortSignal): Promise<void> {
    return this.#follow({ resourceVersion: this.#version }, signal, (event) => this.#hear(event));
  }

  /** Lists and watches in one request. */
  async #stream(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const silence = new AbortController();
    const cancelTimer = clock.after(INITIAL_MS, () => silence.abort(this.#unfinished()));
    const found = new InformerCache();
    const query = {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      ...(this.#version !== '' && this.#version !== '0' && { resourceVersion: this.#version }),
    };
    try {
      await this.#follow(query, AbortSignal.any([signal, silence.signal]), (event) => {
        if (this.#isInPlace) return this.#hear(event);
        if (event.type !== 'BOOKMARK') {
          applyTo(found, event);
        } else if (isInitialEnd(event.object)) {
          cancelTimer();
          this.#replace(found.list(), versionOf(event.object));
        }
      });
      if (!this.#isInPlace) throw this.#unfinished();
    } finally {
      cancelTimer();
    }
  }

  /** Resolves when the server ends a watch that lived long enough or delivered an event. */
  async #follow(
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    hear: (event: KubeWatchEvent) => void,
  ): Promise<void> {
    const { clock, api, random } = this.#ports;
    const { path, watchSecondsMin = WATCH_SECONDS_MIN } = this.#request;
    const seconds = Math.floor(watchSecondsMin * (1 + random.next()));
    const limitMs = seconds * 1000 + OVERDUE_MS;
    const overdue = (): Error => apiTimedOut({ request: `watch of ${path}`, seconds });
    const full = {
      ...this.#selectors,
      ...query,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(seconds),
    };
    const startMs = clock.monotonic();
    this.#heard = 0;
    await within({ clock, limitMs, overdue }, signal, async (bounded) => {
      for await (const event of api.watch(path, full, bounded)) {
        if (bounded.aborted) return;
        if (event.type === 'ERROR') throw statusToError(event.object, 500);
        this.#heard += 1;
        hear(event);
      }
    });
    if (this.#heard === 0 && clock.monotonic() - startMs < SHORT_MS) throw watchTooShort({ path });
  }

  #hear(event: KubeWatchEvent): void {
    this.#wasLost = false;
    const version = versionOf(event.object);
    if (version !== '') this.#version = version;
    if (event.type === 'BOOKMARK') return;
    for (const delta of applyTo(this.#cache, event)) this.#notify(delta);
  }

  #replace(objects: readonly JsonObject[], version: string): void {
    const deltas = this.#cache.replace(objects);
    this.#version = version;
    this.#isInPlace = true;
    this.#hasSynced = true;
    const { listed } = this.#request.handlers ?? {};
    if (listed) this.#guard(() => listed(this.#cache.list()));
    else for (const delta of deltas) this.#notify(delta);
  }

  #notify(delta: Delta): void {
    const { added, updated, deleted } = this.#request.handlers ?? {};
    this.#guard(() => {
      if (delta.type === 'added') added?.(delta.object);
      else if (delta.type === 'deleted') deleted?.(delta.object);
      else updated?.(delta.before, delta.object);
    });
  }

  #guard(call: () => void): void {
    if (this.#abort.signal.aborted) return;
    try {
      call();
    } catch (error) {
      const { path } = this.#request;
      this.#ports.log.error('Informer handler failed', { path, error });
    }
  }

  /** How long to wait before the next attempt. */
  #recover(error: unknown, stage: 'list' | 'watch'): number {
    const { clock, log } = this.#ports;
    const { path } = this.#request;
    const remedy = remedyFor(error, stage);
    if (this.#refusedToStream(error, remedy)) return 0;
    if (remedy !== 'goOn') this.#isInPlace = false;
    if (remedy === 'listNewest') this.#version = '';
    if (error instanceof ApiError && isExpired(error) && !this.#wasLost) {
      this.#wasLost = true;
      log.debug('Resource version of the watch expired; listing again', { path });
      return 0;
    }
    if (stage === 'watch' && !(error instanceof ApiError) && this.#heard > 0) {
      // The watch worked until now: most likely only the connection broke.
      log.debug('Watch closed; reopening it', { path, error });
      return 0;
    }
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const delayMs = Math.max(this.#backoff.next(clock.monotonic()), askedMs);
    log.warn('List or watch failed; retrying', { path, stage, error, delayMs });
    return delayMs;
  }

  /**
   * Whether the server cannot stream lists, or does not send the final bookmark; the informer then lists. The
   * error code varies: kube-apiserver on an old etcd answers with an internal error. A busy server has not
   * refused.
   */
  #refusedToStream(error: unknown, remedy: Remedy): boolean {
    if (this.#isInPlace || !this.#canStream || remedy === 'listNewest') return false;
    const isUnfit =
      error instanceof ApiError
        ? error.statusCode !== 429
        : error instanceof PodkeepError && error.code === 'API_ANSWER_BROKEN';
    if (isUnfit) this.#canStream = false;
    if (isUnfit && error instanceof ApiError) this.#server.canStream = false;
    return isUnfit;
  }

  #unfinished(): Error {
    const request = `watch of ${this.#request.path}`;
    return apiAnswerBroken({
      request,
      problem: 'it ended before the bookmark that ends the initial events',
    });
  }
}

function applyTo(cache: InformerCache, { type, object }: KubeWatchEvent): readonly Delta[] {
  return type === 'DELETED' ? cache.remove(object) : cache.put(object);
}

function isInitialEnd(bookmark: JsonObject): boolean {
  const { annotations } = metadataOf(bookmark);
  return annotations !== null && typeof annotations === 'object' && INITIAL_END in annotations;
}
