/**
 * The store of the API server: a map from keys to JSON objects, with one revision counter for all keys.
 *
 * Every commit gets the next revision. A reader sees a commit as a whole or not at all, and only once
 * it is durable: what a client has seen is never undone. Recent changes are kept for a while, so that
 * a watch can begin in the past and a long list can be read in pages of one snapshot.
 *
 * Revisions only grow, over restarts too, but not always by one: the revision of a failed commit is
 * not used again. Keys are in the order of their UTF-16 code units, which is how JavaScript compares
 * strings.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface StoredObject {
  readonly key: string;
  /** Shared and immutable. */
  readonly value: JsonObject;
  /** The revision of the commit that wrote it. */
  readonly revision: number;
}

export interface ListOptions {
  /** Begin after this key. */
  readonly after?: string;
  /** At most this many objects. */
  readonly limit?: number;
  /** The state at this revision. Absent: now. */
  readonly revision?: number;
  /**
   * True: an object that cannot be decrypted fails the whole list with OBJECT_UNDECRYPTABLE. Else it is
   * left out: the server itself continues without it.
   */
  readonly strict?: boolean;
}

export interface ListPage {
  /** In the order of their keys. */
  readonly objects: readonly StoredObject[];
  /** The revision of the snapshot. */
  readonly revision: number;
  /** How many more there are after the last one. */
  readonly remaining: number;
}

export interface Change {
  readonly key: string;
  /** The revision that the object must have. 0: it must not exist. Absent: any. */
  readonly expected?: number;
  /**
   * The object to store, given the revision of the commit. Null: the object is deleted; where there is
   * none, nothing happens and no watch is notified. It must not call the store.
   */
  readonly make: ((revision: number) => JsonObject) | null;
}

export interface StoreEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** For a delete: the last value. */
  readonly value: JsonObject;
  /** The value before. Null: there was none. */
  readonly before: JsonObject | null;
}

export interface ObjectStore {
  /** The revision of the newest visible commit. */
  readonly revision: number;
  /** Throws OBJECT_UNDECRYPTABLE if the object exists and cannot be decrypted. */
  get(key: string): StoredObject | undefined;
  /** Was the object written with another encryption key than the current one? */
  isStale(key: string): boolean;
  /**
   * All objects whose key begins with `prefix`. Throws REVISION_TOO_OLD for a snapshot that is gone,
   * and REVISION_TOO_NEW for one in the future.
   */
  list(prefix: string, options?: ListOptions): ListPage;
  /**
   * All changes or none. Resolves with the revision when they are durable and visible; rejects with
   * STORE_CONFLICT if an expectation fails (against the newest commit, durable or not), and with
   * STORE_FAILED if they could not be made durable: then none of them is ever visible. If `make`
   * throws, it rejects with that error. A commit changes each key at most once; one that changes nothing
   * still gets a revision, and resolves when all before it are durable.
   */
  commit(changes: readonly Change[]): Promise<number>;
  /**
   * Notifies the listener of every change after `afterRevision` to keys that begin with `prefix`: first
   * of past ones, before this call returns, then of each new one in order. A listener that throws still
   * gets the next change. Throws REVISION_TOO_OLD.
   */
  watch(prefix: string, afterRevision: number, listener: (event: StoreEvent) => void): () => void;
  /**
   * Forgets history up to this revision. The objects themselves stay, and so does the snapshot of this
   * very revision: a watch may still begin after it.
   */
  compact(revision: number): void;
  /** Resolves when all commits that were under way are settled. Later ones reject with STORE_CLOSED. */
  close(): Promise<void>;
}
