/**
 * The pod cache, and the generator of pod lifecycle events: what the runtime last said about each
 * pod, and what has changed (KL-85 to KL-90).
 *
 *     runtime's events ──> look at that pod ──┐
 *     every second, or a minute if there are  ├──> cache ──> events to whoever listens
 *     events: list ──> look at what changed ──┤
 *     newerThan, relist ──> look at that pod ─┘
 *
 * There is one writer of the cache (F-10): a look at one pod. Events of the runtime and listings
 * only say where to look, so no transition waits for a poll, and none is lost if the runtime tells
 * nothing.
 *
 * Invariants:
 *   1. A view is never older than the one it replaces: looks at one pod follow one another.
 *   2. `newerThan` answers with a view that was taken after the time it was asked for.
 *   3. A look that failed is repeated, and until then the pod counts as unreadable.
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { formatGoDuration } from '../../api/time-duration.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodCache } from '../../ports/pod-cache.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import {
  areEqual,
  lifecycleEvents,
  statesOf,
  type LifecycleEvent,
  type States,
} from './lifecycle-event.ts';
import { PodInspections } from './pod-inspections.ts';

export interface PodLifecycleOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list' | 'follow'>;
  /** Everything about one pod, last words of containers included. */
  readonly inspect: (podUid: string) => Promise<RuntimePod>;
  /** Between two listings of a runtime that tells nothing by itself. */
  readonly relistMs?: number;
  /** The same for one that has events. */
  readonly slowRelistMs?: number;
  readonly parallelMax?: number;
}

interface Entry {
  readonly view: RuntimePod;
  readonly states: States;
  /** Why the last look failed. */
  readonly error: unknown;
  /** When the look began: a reading of the clock's `monotonic`. */
  readonly seenAtMs: number;
}

const NOTHING: RuntimePod = { sandboxes: [], containers: [], ips: [] };
const NO_STATES: States = new Map();
const RELIST_MS = 1000;
const SLOW_RELIST_MS = 60_000;
const PARALLEL_MAX = 8;
const HEALTHY_MS = 180_000;

export class PodLifecycle implements PodCache {
  readonly #options: PodLifecycleOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #inspections: PodInspections;
  readonly #listeners = new Set<(event: LifecycleEvent) => void>();
  #cancelRelist: Cancel = () => {};
  #unfollow: () => void = () => {};
  /** The start of the last listing that succeeded. */
  #listedAtMs: number | null = null;
  readonly #listed: Promise<void>;
  #tellListed: () => void = () => {};
  #isStopped = false;

  constructor(options: PodLifecycleOptions) {
    this.#options = options;
    this.#listed = new Promise((resolve) => (this.#tellListed = resolve));
    const { parallelMax = PARALLEL_MAX } = options;
    this.#inspections = new PodInspections(parallelMax, (uid) => this.#look(uid));
  }

  /** Lists at once, and from then on by itself. */
  start(): void {
    const { runtime } = this.#options;
    this.#unfollow = runtime.follow?.(({ podUid }) => void this.relist(podUid)) ?? (() => {});
    void this.#relistAll();
  }

  /** Resolves when all pods were seen for the first time. */
  get listed(): Promise<void> {
    return this.#listed;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRelist();
    this.#unfollow();
  }

  subscribe(listener: (event: LifecycleEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** UIDs of the pods of which the runtime has something. */
  uids(): readonly string[] {
    return [...this.#entries.keys()];
  }

  peek(uid: string): RuntimePod | null {
    const entry = this.#entries.get(uid);
    if (!entry) return NOTHING;
    return entry.error === null ? entry.view : null;
  }

  async newerThan(uid: string, sinceMs: number, signal: AbortSignal): Promise<RuntimePod> {
    signal.throwIfAborted();
    if (!this.#isNewer(uid, sinceMs)) await abortable(this.#inspections.request(uid), signal);
    const entry = this.#entries.get(uid);
    if (!entry) return NOTHING;
    if (entry.error !== null) throw entry.error;
    return entry.view;
  }

  /** Looks at one pod now (KL-89). */
  async relist(uid: string): Promise<void> {
    if (!this.#isStopped) await this.#inspections.request(uid);
  }

  /** Null: it is healthy. Otherwise why not (KL-55, KL-85). */
  unhealthy(): string | null {
    const { clock } = this.#options;
    if (this.#listedAtMs === null) return 'pleg has yet to be successful';
    const elapsedMs = clock.monotonic() - this.#listedAtMs;
    if (elapsedMs <= HEALTHY_MS) return null;
    const [elapsed, threshold] = [elapsedMs, HEALTHY_MS].map(formatGoDuration);
    return `pleg was last seen active ${elapsed} ago; threshold is ${threshold}`;
  }

  /** An unknown pod was not there when all were listed, and nothing was heard of it since. */
  #isNewer(uid: string, sinceMs: number): boolean {
    const entry = this.#entries.get(uid);
    const seenAtMs = entry ? entry.seenAtMs : (this.#listedAtMs ?? Number.NEGATIVE_INFINITY);
    return entry?.error === undefined || entry.error === null ? seenAtMs > sinceMs : false;
  }

  async #relistAll(): Promise<void> {
    const { clock, runtime, log } = this.#options;
    const beganAtMs = clock.monotonic();
    try {
      const listed = await runtime.list();
      const uids = this.#uidsToLookAt(new Map(listed.map(({ uid, pod }) => [uid, pod])));
      await Promise.all(uids.map((uid) => this.#inspections.request(uid)));
      this.#listedAtMs = beganAtMs;
      this.#tellListed();
    } catch (error) {
      log.error('the pods of the runtime cannot be listed', { error });
    }
    if (this.#isStopped) return;
    const { relistMs = RELIST_MS, slowRelistMs = SLOW_RELIST_MS } = this.#options;
    // After a failure it is not known what was missed, so the next try comes soon.
    const isSlow = runtime.follow !== undefined && this.#listedAtMs === beganAtMs;
    this.#cancelRelist = clock.after(
      isSlow ? slowRelistMs : relistMs,
      () => void this.#relistAll(),
    );
  }

  /** Those that changed, that are new or gone, and those that could not be read. */
  #uidsToLookAt(listed: ReadonlyMap<string, RuntimePod>): readonly string[] {
    const uids = new Set([...listed.keys(), ...this.#entries.keys()]);
    return [...uids].filter((uid) => {
      const entry = this.#entries.get(uid);
      if (!entry || entry.error !== null) return true;
      return !areEqual(entry.states, statesOf(listed.get(uid) ?? NOTHING));
    });
  }

  /** The only writer of the cache. */
  async #look(uid: string): Promise<void> {
    const { clock, inspect, log } = this.#options;
    const before = this.#entries.get(uid);
    const seenAtMs = clock.monotonic();
    try {
      const seen = await inspect(uid);
      const view = withKeptAddresses(seen, before?.view);
      const states = statesOf(view);
      if (states.size === 0) this.#entries.delete(uid);
      else this.#entries.set(uid, { view, states, error: null, seenAtMs });
      this.#emit(uid, before, states);
    } catch (error) {
      log.warn('a pod of the runtime cannot be read', { pod: { uid }, error });
      const { view = NOTHING, states = NO_STATES } = before ?? {};
      this.#entries.set(uid, { view, states, error, seenAtMs });
    }
  }

  #emit(podUid: string, before: Entry | undefined, states: States): void {
    if (this.#isStopped) return;
    const events = lifecycleEvents(podUid, before?.states ?? NO_STATES, states);
    const wasUnreadable = before !== undefined && before.error !== null;
    const told: readonly LifecycleEvent[] =
      events.length === 0 && wasUnreadable ? [{ podUid, type: 'PodSync' }] : events;
    for (const event of told) {
      for (const listener of this.#listeners) listener(event);
    }
  }
}

/** A sandbox that was stopped has no address any more; the pod's status still tells it (KL-88). */
function withKeptAddresses(seen: RuntimePod, before: RuntimePod | undefined): RuntimePod {
  const isUp = seen.sandboxes.some(({ ready }) => ready);
  if (seen.ips.length > 0 || isUp || !before || before.ips.length === 0) return seen;
  return { ...seen, ips: before.ips };
}

function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
