/**
 * Caches the Secrets and ConfigMaps that the pods of this node refer to, and no others: a node may read only
 * what its pods need, and must not keep secrets of pods that are gone.
 *
 * There is one watch per object, however many pods share it, from the first pod that refers to it to the
 * last. Objects that were not used for a while are not watched until their next use (cached-object.ts), so a
 * node with many quiet pods has few watches.
 */
import type { Pod } from '../../api/pod.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StartInformer } from '../../ports/api/informer.ts';
import type { LookedUpObject, ObjectLookup } from '../../ports/api/object-lookup.ts';
import type { PodObjects } from '../../ports/api/pod-objects.ts';
import { CachedObject, type ObjectListener } from './cached-object.ts';
import { objectNotRegistered } from './object-errors.ts';
import { configMapNamesOf, secretNamesOf } from './pod-references.ts';

export interface ObjectCacheOptions {
  readonly startInformer: StartInformer;
  readonly clock: Clock;
  /** Absent: five minutes, which is five syncs of a pod. */
  readonly idleMs?: number;
}

interface Entry {
  readonly object: CachedObject;
  /** UIDs of pods. */
  readonly users: Set<string>;
}

const IDLE_MS = 300_000;
const SWEEP_MS = 60_000;

interface Registered {
  readonly spec: Pod['spec'];
  /** The objects that the pod refers to. */
  readonly references: ReadonlyMap<string, LookedUpObject>;
}

export class ObjectCache implements PodObjects, ObjectLookup {
  readonly #options: ObjectCacheOptions;
  readonly #entries = new Map<string, Entry>();
  /** By the UID of a pod. */
  readonly #registered = new Map<string, Registered>();
  #cancelSweep: Cancel | null = null;

  constructor(options: ObjectCacheOptions) {
    this.#options = options;
  }

  /** The number of watches. */
  get watches(): number {
    return [...this.#entries.values()].filter(({ object }) => object.isWatching).length;
  }

  registerPod(pod: Pod): void {
    const { spec } = pod;
    const { uid = '' } = pod.metadata;
    const known = this.#registered.get(uid);
    // A pod is registered with each of its syncs, and its spec rarely changes.
    if (known?.spec === spec) return;
    const before = known?.references;
    const next = referencesOf(pod);
    this.#registered.set(uid, { spec, references: next });
    // New references are added first, so that an object that is still referred to keeps its watch.
    for (const [key, name] of next) if (!before?.has(key)) this.#addUser(key, name, uid);
    for (const key of before?.keys() ?? []) if (!next.has(key)) this.#removeUser(key, uid);
  }

  unregisterPod(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const known = this.#registered.get(uid);
    this.#registered.delete(uid);
    for (const key of known?.references.keys() ?? []) this.#removeUser(key, uid);
  }

  /**
   * Rejects with an ApiError NotFound if there is no such object, and with OBJECT_NOT_REGISTERED if no
   * pod refers to it.
   */
  get(name: LookedUpObject, signal?: AbortSignal): Promise<JsonObject> {
    const entry = this.#entries.get(keyOf(name));
    return entry ? entry.object.get(signal) : Promise.reject(objectNotRegistered(name));
  }

  /**
   * Calls the listener at every change, with null when the object is deleted, as long as a pod refers to the
   * object.
   */
  subscribe(name: LookedUpObject, listener: ObjectListener): () => void {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) throw objectNotRegistered(name);
    return entry.object.subscribe(listener);
  }

  stop(): void {
    for (const { object } of this.#entries.values()) object.close();
    this.#entries.clear();
    this.#registered.clear();
    this.#cancelSweep?.();
    this.#cancelSweep = null;
  }

  #addUser(key: string, name: LookedUpObject, uid: string): void {
    const entry = this.#entries.get(key);
    if (entry) {
      entry.users.add(uid);
      return;
    }
    const { startInformer, clock, idleMs = IDLE_MS } = this.#options;
    const object = new CachedObject(name, { startInformer, clock, idleMs });
    this.#entries.set(key, { object, users: new Set([uid]) });
    this.#sweepLater();
  }

  #removeUser(key: string, uid: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.users.delete(uid) || entry.users.size > 0) return;
    this.#entries.delete(key);
    entry.object.close();
  }

  /** No timer runs for a node without such objects. */
  #sweepLater(): void {
    this.#cancelSweep ??= this.#options.clock.after(SWEEP_MS, () => {
      this.#cancelSweep = null;
      for (const { object } of this.#entries.values()) object.stopIfIdle();
      if (this.#entries.size > 0) this.#sweepLater();
    });
  }
}

function referencesOf(pod: Pod): ReadonlyMap<string, LookedUpObject> {
  const { namespace = '' } = pod.metadata;
  const names: readonly LookedUpObject[] = [
    ...[...secretNamesOf(pod)].map((name) => ({ kind: 'Secret', namespace, name }) as const),
    ...[...configMapNamesOf(pod)].map((name) => ({ kind: 'ConfigMap', namespace, name }) as const),
  ];
  return new Map(names.map((name) => [keyOf(name), name]));
}

function keyOf({ kind, namespace, name }: LookedUpObject): string {
  return `${kind}/${namespace}/${name}`;
}
