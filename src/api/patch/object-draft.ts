/**
 * Builds the next version of an object, key by key.
 *
 * The original is copied at the first real change and never before: a draft that changed nothing returns
 * the object it was made from. So callers detect "nothing changed" by comparing two pointers.
 */
import type { Json, JsonObject } from '../../lib/json.ts';
import { own, put, type MutableJsonObject } from './json-access.ts';

export class ObjectDraft {
  readonly #original: JsonObject;
  #copy: MutableJsonObject | undefined;

  constructor(original: JsonObject) {
    this.#original = original;
  }

  get(key: string): Json | undefined {
    return own(this.#copy ?? this.#original, key);
  }

  /** Writes a value; `undefined` removes the key. */
  set(key: string, value: Json | undefined): void {
    if (value === this.get(key)) return;
    const copy = this.#writable();
    if (value === undefined) delete copy[key];
    else put(copy, key, value);
  }

  keys(): readonly string[] {
    return Object.keys(this.#copy ?? this.#original);
  }

  finish(): JsonObject {
    return this.#copy ?? this.#original;
  }

  #writable(): MutableJsonObject {
    // Spreading defines own properties, `__proto__` among them; it never runs a setter.
    this.#copy ??= { ...this.#original };
    return this.#copy;
  }
}
