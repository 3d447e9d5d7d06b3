/**
 * A queue with two lanes: keys in the urgent lane are taken first.
 *
 * Each key is queued once, in the order of arrival. A key may move to the end of the urgent lane, but never
 * back. The cost of an operation does not depend on the number of keys.
 */
export class Lanes<Key> {
  readonly #urgent = new Lane<Key>();
  readonly #normal = new Lane<Key>();

  get size(): number {
    return this.#urgent.size + this.#normal.size;
  }

  add(key: Key, lane: 'urgent' | 'normal'): void {
    if (this.#urgent.has(key)) return;
    if (lane === 'normal') {
      this.#normal.add(key);
      return;
    }
    this.#normal.delete(key);
    this.#urgent.add(key);
  }

  delete(key: Key): void {
    this.#urgent.delete(key);
    this.#normal.delete(key);
  }

  /** Removes and returns the next key. */
  shift(): Key | undefined {
    return (this.#urgent.size > 0 ? this.#urgent : this.#normal).shift();
  }
}

/**
 * A set whose first element can be removed. The iterator is reused between calls, because a new one would
 * have to skip the gaps that earlier removals left.
 */
class Lane<Key> extends Set<Key> {
  #front = this.values();

  shift(): Key | undefined {
    let next = this.#front.next();
    if (next.done) {
      this.#front = this.values();
      next = this.#front.next();
    }
    if (next.done) return undefined;
    this.delete(next.value);
    return next.value;
  }
}
