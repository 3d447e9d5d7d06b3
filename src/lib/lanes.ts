/**
 * A queue with two lanes: keys of the urgent one come first.
 *
 * Each key is in it once, in the order of arrival. A key may move up to the urgent lane, behind those
 * that are there, but never back. All operations cost the same however many keys wait.
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

  /** Removes and returns the next one. */
  shift(): Key | undefined {
    return (this.#urgent.size > 0 ? this.#urgent : this.#normal).shift();
  }
}

/**
 * A set that can be taken from its front. The iterator is kept between calls, because a new one
 * would walk past the holes that all earlier calls have left.
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
