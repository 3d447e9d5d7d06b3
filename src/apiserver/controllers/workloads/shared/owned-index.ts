/**
 * Indexes objects of one kind by the UID of their controller, and objects without a controller by namespace.
 *
 * The store notifies its watchers before it acknowledges a commit. So this index always includes the writes
 * that a controller has awaited: a controller that reads the index after its own writes counts every pod that
 * it has created. kube-controller-manager reads a cache that lags behind and needs expectations for the same
 * guarantee.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { StoreEvent } from '../../../../ports/api/object-store.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { follow } from '../../../registry/object-feed.ts';
import { prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { controllerRefOf } from './controller-ref.ts';

export interface OwnedChange {
  readonly value: JsonObject;
  /** Null: the object is new. */
  readonly before: JsonObject | null;
  readonly isGone: boolean;
}

type Bucket = Map<string, JsonObject>;

export class OwnedIndex {
  readonly #buckets = new Map<string, Bucket>();
  readonly #listeners = new Set<(change: OwnedChange) => void>();
  readonly #leave: () => void;

  constructor(parts: ServerParts, definition: KindDefinition) {
    this.#leave = follow(parts.store, prefixOf(definition, ''), (event) => this.#take(event));
  }

  stop(): void {
    this.#leave();
    this.#listeners.clear();
    this.#buckets.clear();
  }

  ownedBy(uid: string): readonly JsonObject[] {
    return [...(this.#buckets.get(`uid ${uid}`)?.values() ?? [])];
  }

  /** Objects without a controller. */
  orphansIn(namespace: string): readonly JsonObject[] {
    return [...(this.#buckets.get(`orphans ${namespace}`)?.values() ?? [])];
  }

  subscribe(listener: (change: OwnedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #take({ type, key, value, before }: StoreEvent): void {
    const isGone = type === 'delete';
    const bucket = bucketOf(value);
    const last = before ? bucketOf(before) : bucket;
    if (isGone || last !== bucket) this.#remove(last, key);
    if (!isGone) {
      const entries = this.#buckets.get(bucket) ?? new Map<string, JsonObject>();
      this.#buckets.set(bucket, entries.set(key, value));
    }
    for (const listener of this.#listeners) listener({ value, before, isGone });
  }

  #remove(bucket: string, key: string): void {
    const entries = this.#buckets.get(bucket);
    entries?.delete(key);
    if (entries?.size === 0) this.#buckets.delete(bucket);
  }
}

function bucketOf(object: JsonObject): string {
  const reference = controllerRefOf(object);
  return reference ? `uid ${reference.uid}` : `orphans ${textOf(metadataOf(object)['namespace'])}`;
}
