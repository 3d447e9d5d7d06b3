/**
 * A map of limited size: what was neither read nor written for the longest time makes room.
 *
 * A Map keeps its keys in the order in which they came, so a key that is used is taken out and put
 * back at the end; the front is then the one that goes next.
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
