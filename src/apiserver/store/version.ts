/**
 * One version of one object, created by a commit.
 *
 * A version that was loaded from disk is parsed when the object is first read. Most objects of a large store
 * are never read, and parsing them all would take most of the time of opening the store.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { StoredObject } from '../../ports/api/object-store.ts';
import { objectUndecryptable } from '../at-rest/encryption-errors.ts';

/** Replaces an object whose value cannot be decrypted: it exists, but its content is unknown. */
export class Unreadable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

type Content = JsonObject | (() => JsonObject) | Unreadable | null;

export class Version {
  readonly key: string;
  readonly revision: number;
  /** The index of the change in its commit. */
  readonly index: number;
  /** Null: the object was deleted. */
  #object: StoredObject | (() => JsonObject) | Unreadable | null;

  constructor(key: string, revision: number, index: number, value: Content) {
    this.key = key;
    this.revision = revision;
    this.index = index;
    const isReady = typeof value === 'function' || value === null || value instanceof Unreadable;
    this.#object = isReady ? value : { key, value, revision };
  }

  get isDeletion(): boolean {
    return this.#object === null;
  }

  get isUnreadable(): boolean {
    return this.#object instanceof Unreadable;
  }

  /** Throws the error for a list, which names the object. */
  failList(): never {
    const reason = this.#object instanceof Unreadable ? this.#object.reason : '';
    const { key } = this;
    throw objectUndecryptable({ key, reason: `unable to transform key "${key}": ${reason}` });
  }

  /** The same object each time, shared by all readers. Throws OBJECT_UNDECRYPTABLE. */
  get object(): StoredObject | null {
    if (typeof this.#object === 'function') {
      const { key, revision } = this;
      this.#object = { key, value: this.#object(), revision };
    }
    if (this.#object instanceof Unreadable) {
      throw objectUndecryptable({ key: this.key, reason: this.#object.reason });
    }
    return this.#object;
  }
}
