/**
 * One secret or config map that some pod refers to, followed by a watch of its own.
 *
 *     watching ──nobody asked for five minutes──> idle ──get──> watching
 *         └──it is immutable──> kept as it is, for good
 *
 * The watch begins when the object is first referred to, so that it is there when it is asked for. The
 * first to ask waits for the first answer, but not for ever: a pod that cannot start says why.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Informer, StartInformer } from '../../ports/informer.ts';
import type { LookedUpObject } from '../../ports/object-lookup.ts';
import { objectNotFound, objectNotRegistered, objectNotSynced } from './object-errors.ts';

/** The singular is how the API speaks of one. */
export const RESOURCES = {
  ConfigMap: { plural: 'configmaps', singular: 'configmap' },
  Secret: { plural: 'secrets', singular: 'secret' },
} as const;

export interface ObjectPorts {
  readonly startInformer: StartInformer;
  readonly clock: Clock;
  /** How long nobody may ask before the watch ends. */
  readonly idleMs: number;
}

export type ObjectListener = (object: JsonObject | null) => void;

const FIRST_ANSWER_MS = 1000;
/** Longer than for whole kinds: there is one of these for each object. */
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

  /** Throws what the pod's user should read. */
  async get(signal?: AbortSignal): Promise<JsonObject> {
    this.#askedAtMs = this.#ports.clock.monotonic();
    if (!this.#informer && this.#object === undefined) this.#watch();
    if (this.#object === undefined) await this.#firstAnswer(signal);
    const object = this.#object;
    const { kind, name } = this.#name;
    if (!object) throw objectNotFound(RESOURCES[kind].singular, name);
    return object;
  }

  /** Is told of every change. As long as somebody listens, the object is not idle. */
  subscribe(listener: ObjectListener): () => void {
    this.#listeners.add(listener);
    if (!this.#informer && this.#object === undefined) this.#watch();
    return () => {
      this.#listeners.delete(listener);
      this.#askedAtMs = this.#ports.clock.monotonic();
    };
  }

  /** A first answer that is on its way is waited for: to ask anew would cost the server more. */
  stopIfIdle(): void {
    const { clock, idleMs } = this.#ports;
    const isIdle = clock.monotonic() - this.#askedAtMs > idleMs && this.#listeners.size === 0;
    if (!isIdle || !this.#informer?.hasSynced) return;
    this.#unwatch();
    this.#object = undefined;
  }

  /** Nobody refers to it any more. */
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
    // It was immutable, and came before this call returned.
    if (this.#object?.['immutable'] === true) this.#unwatch();
  }

  #unwatch(): void {
    this.#informer?.stop();
    this.#informer = null;
  }

  #take(object: JsonObject | null): void {
    const isNews = this.#object !== object;
    this.#object = object;
    if (object?.['immutable'] === true) this.#unwatch();
    this.#answer({});
    if (isNews) for (const listener of this.#listeners) listener(object);
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
        signal?.removeEventListener('abort', leave);
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
      else signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
