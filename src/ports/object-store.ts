/**
 * Where the API server keeps its objects: a map from keys to JSON objects, with one counter for all.
 *
 * Every commit gets the next revision. A reader sees a commit as a whole or not at all, and only once
 * it is durable: what was shown to somebody is never taken back. The last changes are kept for a
 * while, so that a watch can begin in the past and a long list can be read in pages of one snapshot.
 *
 * Revisions only grow, over restarts too, but not always by one: the revision of a commit that failed
 * is not given to another. Keys are in the order of their UTF-16 code units, which is how JavaScript
 * compares strings.
 */
import type { JsonObject } from '../lib/json.ts';

export interface StoredObject {
  readonly key: string;
  /** Belongs to all: nobody changes it. */
  readonly value: JsonObject;
  /** The revision of the commit that wrote it. */
  readonly revision: number;
}

export interface ListOptions {
  /** Begin behind this key. */
  readonly after?: string;
  /** At most so many objects. */
  readonly limit?: number;
  /** The state as it was at this revision; absent: as it is now. */
  readonly revision?: number;
}

export interface ListPage {
  /** In the order of their keys. */
  readonly objects: readonly StoredObject[];
  /** The revision of the snapshot. */
  readonly revision: number;
  /** How many more there are behind the last one. */
  readonly remaining: number;
}

export interface Change {
  readonly key: string;
  /** The revision that the object must have; 0: it must not exist; absent: whatever it is. */
  readonly expected?: number;
  /**
   * What to store, given the revision that the commit gets. Null: the object goes; where there is
   * none, nothing happens and nobody hears of it. It must not call the store.
   */
  readonly make: ((revision: number) => JsonObject) | null;
}

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** For a delete: the last value. */
  readonly value: JsonObject;
  /** The value before; null: there was none. */
  readonly before: JsonObject | null;
}

export interface ObjectStore {
  /** Of the newest commit that is visible. */
  readonly revision: number;
  get(key: string): StoredObject | undefined;
  /**
   * All objects whose key begins with `prefix`. Throws REVISION_TOO_OLD for a snapshot that is gone,
   * and REVISION_TOO_NEW for one that has not been yet.
   */
  list(prefix: string, options?: ListOptions): ListPage;
  /**
   * All changes or none. Resolves with the revision when they are durable and visible; rejects with
   * STORE_CONFLICT if an expectation fails (against the newest commit, durable or not), and with
   * STORE_FAILED if they could not be made durable: then nothing of them is ever visible. If `make`
   * throws, with what it threw. A commit changes each key once at most; one that changes nothing still
   * gets a revision, and resolves when all before it are durable.
   */
  commit(changes: readonly Change[]): Promise<number>;
  /**
   * Tells of every change behind `afterRevision` to keys that begin with `prefix`: first of those
   * already made, before this call returns, then of each new one in order. A listener that throws is
   * told of the next change all the same. Throws REVISION_TOO_OLD.
   */
  watch(prefix: string, afterRevision: number, listener: (event: StoreEvent) => void): () => void;
  /**
   * Forgets history up to this revision. The objects themselves stay, and so does the snapshot of this
   * very revision: a watch may still begin behind it.
   */
  compact(revision: number): void;
  /** Resolves when all commits that were under way are settled. Later ones reject with STORE_CLOSED. */
  close(): Promise<void>;
}
