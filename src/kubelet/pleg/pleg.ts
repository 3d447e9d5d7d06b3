/**
 * The pod lifecycle event generator (PLEG) and its pod cache: holds the last known state of each pod in the
 * runtime, and emits events when a state changes (KL-85 to KL-90).
 *
 *     runtime's events ──> inspect that pod ──┐
 *     list ──> inspect changed pods ──────────┼──> cache ──> events to subscribers
 *     (every second, or every minute if the   │
 *     runtime sends events)                   │
 *     newerThan, relist ──> inspect that pod ─┘
 *
 * Only the inspection of a pod writes to the cache (F-10). Events of the runtime and listings only select the
 * pods to inspect. So if the runtime sends events, no change waits for a poll, and if it sends none, no
 * change is lost.
 *
 * Invariants:
 *   1. A state never replaces a newer one: inspections of one pod run one after the other.
 *   2. `newerThan` answers with a state from after the given time.
 *   3. A failed inspection is repeated, and until then the pod counts as unreadable.
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { formatGoDuration } from '../../api/values/time-duration.ts';
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodCache } from '../../ports/pod/pod-cache.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { PlegMetrics } from '../metrics/pleg-metrics.ts';
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
  /** The complete state of one pod, termination messages included. */
  readonly inspect: (podUid: string) => Promise<RuntimePod>;
  /** The interval between two listings of a runtime without events. */
  readonly relistMs?: number;
  /** The same for a runtime with events. */
  readonly slowRelistMs?: number;
  readonly parallelMax?: number;
  readonly metrics?: Pick<PlegMetrics, 'relistBegan' | 'relistEnded' | 'podRelisted'>;
}

interface Entry {
  readonly view: RuntimePod;
  readonly states: States;
  /** The error of the last inspection; null: it succeeded. */
  readonly error: unknown;
  /** When the inspection started: a reading of the clock's `monotonic`. */
  readonly seenAtMs: number;
}

const NOTHING: RuntimePod = { sandboxes: [], containers: [], ips: [] };
const NO_STATES: States = new Map();
const RELIST_MS = 1000;
const SLOW_RELIST_MS = 60_000;
const PARALLEL_MAX = 8;
const HEALTHY_MS = 180_000;

export class Pleg implements PodCache {
  readonly #options: PodLifecycleOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #inspections: PodInspections;
  readonly #listeners = new Set<(event: LifecycleEvent) => void>();
  #cancelRelist: Cancel = () => {};
  #unfollow: () => void = () => {};
  /** The start of the last successful listing. */
  #listedAtMs: number | null = null;
  /** The start of the last listing, whether it succeeded or not. */
  #relistedAtMs: number | null = null;
  readonly #listed: Promise<void>;
  #notifyListed: () => void = () => {};
  #isStopped = false;

  constructor(options: PodLifecycleOptions) {
    this.#options = options;
    this.#listed = new Promise((resolve) => (this.#notifyListed = resolve));
    const { parallelMax = PARALLEL_MAX } = options;
    this.#inspections = new PodInspections(parallelMax, (uid) => this.#look(uid));
  }

  /** Lists immediately, and from then on periodically. */
  start(): void {
    const { runtime } = this.#options;
    this.#unfollow = runtime.follow?.(({ podUid }) => void this.relist(podUid)) ?? (() => {});
    void this.#relistAll();
  }

  /** Resolves when all pods were listed for the first time. */
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

  /** UIDs of the pods that the runtime has. */
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

  /** Inspects one pod now (KL-89). */
  async relist(uid: string): Promise<void> {
    if (!this.#isStopped) await this.#inspections.request(uid);
  }

  /** Why the PLEG is unhealthy. Null: it is healthy (KL-55, KL-85). */
  unhealthy(): string | null {
    const { clock } = this.#options;
    if (this.#listedAtMs === null) return 'pleg has yet to be successful';
    const elapsedMs = clock.monotonic() - this.#listedAtMs;
    if (elapsedMs <= HEALTHY_MS) return null;
    const [elapsed, threshold] = [elapsedMs, HEALTHY_MS].map(formatGoDuration);
    return `pleg was last seen active ${elapsed} ago; threshold is ${threshold}`;
  }

  /**
   * For a pod without an entry, the last listing counts: the pod did not exist then, and there was no event
   * for it since.
   */
  #isNewer(uid: string, sinceMs: number): boolean {
    const entry = this.#entries.get(uid);
    const seenAtMs = entry ? entry.seenAtMs : (this.#listedAtMs ?? Number.NEGATIVE_INFINITY);
    return entry?.error === undefined || entry.error === null ? seenAtMs > sinceMs : false;
  }

  async #relistAll(): Promise<void> {
    const { clock, runtime, log, metrics } = this.#options;
    const beganAtMs = clock.monotonic();
    const previousMs = this.#relistedAtMs;
    this.#relistedAtMs = beganAtMs;
    const sincePrevious = previousMs === null ? null : (beganAtMs - previousMs) / 1000;
    metrics?.relistBegan(clock.now() / 1000, sincePrevious);
    try {
      const listed = await runtime.list();
      const uids = this.#uidsToLookAt(new Map(listed.map(({ uid, pod }) => [uid, pod])));
      await Promise.all(uids.map((uid) => this.#inspections.request(uid)));
      this.#listedAtMs = beganAtMs;
      this.#notifyListed();
    } catch (error) {
      log.error('GenericPLEG: Unable to retrieve pods', { error });
    }
    metrics?.relistEnded((clock.monotonic() - beganAtMs) / 1000);
    if (this.#isStopped) return;
    const { relistMs = RELIST_MS, slowRelistMs = SLOW_RELIST_MS } = this.#options;
    // After a failure, changes may have been missed, so the next listing comes soon.
    const isSlow = runtime.follow !== undefined && this.#listedAtMs === beganAtMs;
    this.#cancelRelist = clock.after(
      isSlow ? slowRelistMs : relistMs,
      () => void this.#relistAll(),
    );
  }

  /** The pods that changed, are new or are gone, and those that could not be read. */
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
    const { clock, inspect, log, metrics } = this.#options;
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
      log.warn('GenericPLEG: Unable to retrieve pod', { pod: { uid }, error });
      const { view = NOTHING, states = NO_STATES } = before ?? {};
      this.#entries.set(uid, { view, states, error, seenAtMs });
    }
    metrics?.podRelisted((clock.monotonic() - seenAtMs) / 1000);
  }

  #emit(podUid: string, before: Entry | undefined, states: States): void {
    if (this.#isStopped) return;
    const events = lifecycleEvents(podUid, before?.states ?? NO_STATES, states);
    const wasUnreadable = before !== undefined && before.error !== null;
    const emitted: readonly LifecycleEvent[] =
      events.length === 0 && wasUnreadable ? [{ podUid, type: 'PodSync' }] : events;
    for (const event of emitted) {
      for (const listener of this.#listeners) listener(event);
    }
  }
}

/** A stopped sandbox has no address any more, but the pod's status keeps its last one (KL-88). */
function withKeptAddresses(seen: RuntimePod, before: RuntimePod | undefined): RuntimePod {
  const isUp = seen.sandboxes.some(({ ready }) => ready);
  if (seen.ips.length > 0 || isUp || !before || before.ips.length === 0) return seen;
  return { ...seen, ips: before.ips };
}

function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    onAbort(signal, abort);
    void work.then(resolve, reject).finally(() => offAbort(signal, abort));
  });
}
