/**
 * A map of limited size: the least recently used key is removed when it is full.
 *
 * A Map keeps its keys in insertion order, so a used key is deleted and inserted again at the end; the first
 * key is the next to remove.
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
