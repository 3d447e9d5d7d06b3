/**
 * One state of one object: what a commit made of it.
 *
 * A version that was read from disk keeps its text until somebody asks for the object. Most objects of
 * a large store are never asked for, and parsing them all would be most of the time that opening takes.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { StoredObject } from '../../ports/object-store.ts';

export class Version {
  readonly key: string;
  readonly revision: number;
  /** Which change of its commit made it. */
  readonly index: number;
  /** Null: the object was deleted. */
  #object: StoredObject | (() => JsonObject) | null;

  constructor(
    key: string,
    revision: number,
    index: number,
    value: JsonObject | (() => JsonObject) | null,
  ) {
    this.key = key;
    this.revision = revision;
    this.index = index;
    this.#object = typeof value === 'function' ? value : value && { key, value, revision };
  }

  get isDeletion(): boolean {
    return this.#object === null;
  }

  /** The same each time, for whoever asks. */
  get object(): StoredObject | null {
    if (typeof this.#object === 'function') {
      const { key, revision } = this;
      this.#object = { key, value: this.#object(), revision };
    }
    return this.#object;
  }
}
