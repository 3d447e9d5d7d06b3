/**
 * A map of limited size: the least recently used key is removed when it is full.
 *
 * A Map has its keys in insertion order, so a key that is used is deleted and inserted at the end; the
 * front is then the one to remove next.
 */
export class LruMap<Key, Value> {
  readonly #sizeMax: number;
  readonly #entries = new Map<Key, Value>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#putLast(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#putLast(key, value);
    if (this.#entries.size <= this.#sizeMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  #putLast(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
