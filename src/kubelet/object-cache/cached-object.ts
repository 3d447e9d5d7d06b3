/**
 * Caches one Secret or ConfigMap that a pod refers to, with its own watch.
 *
 *     watching ──not used for five minutes──> idle ──get──> watching
 *         └──it is immutable──> kept as it is, without a watch
 *
 * The watch starts when a pod first refers to the object, so that the object is cached when it is needed. The
 * first `get` waits for the first answer for one second at most; then it throws, so that the pod's status
 * shows the reason.
 */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Informer, StartInformer } from '../../ports/api/informer.ts';
import type { LookedUpObject } from '../../ports/api/object-lookup.ts';
import { objectNotFound, objectNotRegistered, objectNotSynced } from './object-errors.ts';

/** The API uses the singular in its messages. */
export const RESOURCES = {
  ConfigMap: { plural: 'configmaps', singular: 'configmap' },
  Secret: { plural: 'secrets', singular: 'secret' },
} as const;

export interface ObjectPorts {
  readonly startInformer: StartInformer;
  readonly clock: Clock;
  /** The time without use after which the watch ends. */
  readonly idleMs: number;
}

export type ObjectListener = (object: JsonObject | null) => void;

const FIRST_ANSWER_MS = 1000;
/** Longer than for whole kinds: there is one watch for each object. */
const WATCH_SECONDS_MIN = 1800;

export class CachedObject {
  readonly #name: LookedUpObject;
  readonly #ports: ObjectPorts;
  readonly #listeners = new Set<ObjectListener>();
  readonly #waiting = new Set<(answer: { readonly error?: Error }) => void>();
  #informer: Informer | null = null;
  /** Undefined: nothing is known; null: there is no such object. */
  #object: JsonObject | null | undefined = undefined;
  #isClosed = false;
  #askedAtMs: number;

  constructor(name: LookedUpObject, ports: ObjectPorts) {
    this.#name = name;
    this.#ports = ports;
    this.#askedAtMs = ports.clock.monotonic();
    this.#watch();
  }

  get isWatching(): boolean {
    return this.#informer !== null;
  }

  /** Throws errors with messages for the pod's users. */
  async get(signal?: AbortSignal): Promise<JsonObject> {
    this.#askedAtMs = this.#ports.clock.monotonic();
    if (!this.#informer && this.#object === undefined) this.#watch();
    if (this.#object === undefined) await this.#firstAnswer(signal);
    const object = this.#object;
    const { kind, name } = this.#name;
    if (!object) throw objectNotFound(RESOURCES[kind].singular, name);
    return object;
  }

  /** Calls the listener at every change. As long as there is a listener, the object is never idle. */
  subscribe(listener: ObjectListener): () => void {
    this.#listeners.add(listener);
    if (!this.#informer && this.#object === undefined) this.#watch();
    return () => {
      this.#listeners.delete(listener);
      this.#askedAtMs = this.#ports.clock.monotonic();
    };
  }

  /** The watch is not ended before its first answer: a new request would cost the server more. */
  stopIfIdle(): void {
    const { clock, idleMs } = this.#ports;
    const isIdle = clock.monotonic() - this.#askedAtMs > idleMs && this.#listeners.size === 0;
    if (!isIdle || !this.#informer?.hasSynced) return;
    this.#unwatch();
    this.#object = undefined;
  }

  /** No pod refers to it any more. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#answer({ error: objectNotRegistered(this.#name) });
  }

  #watch(): void {
    if (this.#isClosed) return;
    const { kind, namespace, name } = this.#name;
    this.#informer = this.#ports.startInformer({
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/${RESOURCES[kind].plural}`,
      fieldSelector: `metadata.name=${name}`,
      watchSecondsMin: WATCH_SECONDS_MIN,
      handlers: {
        listed: (objects) => this.#take(objects[0] ?? null),
        added: (object) => this.#take(object),
        updated: (_before, object) => this.#take(object),
        deleted: () => this.#take(null),
      },
    });
    // An immutable object was delivered before this call returned.
    if (this.#object?.['immutable'] === true) this.#unwatch();
  }

  #unwatch(): void {
    this.#informer?.stop();
    this.#informer = null;
  }

  #take(object: JsonObject | null): void {
    const isNew = this.#object !== object;
    this.#object = object;
    if (object?.['immutable'] === true) this.#unwatch();
    this.#answer({});
    if (isNew) for (const listener of this.#listeners) listener(object);
  }

  #answer(answer: { readonly error?: Error }): void {
    for (const done of [...this.#waiting]) done(answer);
  }

  #firstAnswer(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    if (this.#isClosed) return Promise.reject(objectNotRegistered(this.#name));
    return new Promise((resolve, reject) => {
      const done = ({ error }: { readonly error?: Error }): void => {
        this.#waiting.delete(done);
        offAbort(signal, leave);
        cancelTimer();
        if (error) reject(error);
        else resolve();
      };
      const leave = (): void => done({ error: toError(signal?.reason) });
      const resource = RESOURCES[this.#name.kind].singular;
      const cancelTimer = clock.after(FIRST_ANSWER_MS, () =>
        done({ error: objectNotSynced({ resource }) }),
      );
      this.#waiting.add(done);
      if (signal?.aborted) leave();
      else onAbort(signal, leave);
    });
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
