/**
 * All chance in a history, from one seed.
 *
 * Each part of the world has its own dice, made from the seed and the part's name. One more roll by the
 * runtime then does not change what users do, which keeps seeds useful for longer.
 */
import { fnv1a32 } from '../../src/lib/fnv.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import type { Random } from '../../src/ports/random.ts';

export class Dice implements Random {
  readonly #random: Random;

  constructor(seed: number, name: string) {
    this.#random = seededRandom(fnv1a32(new TextEncoder().encode(`${seed}/${name}`)));
  }

  next(): number {
    return this.#random.next();
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** One of them; undefined only if there is none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  /** One of a list that is written out, so it has a first item. */
  oneOf<Item>(first: Item, ...rest: readonly Item[]): Item {
    return this.pick([first, ...rest]) ?? first;
  }
}
