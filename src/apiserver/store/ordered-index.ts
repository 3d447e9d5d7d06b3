/**
 * Keeps items in the order of their keys.
 *
 * It is a list of sorted runs of bounded length: finding a position takes two binary searches, inserting or
 * removing moves at most the pointers of one run, and reading on from a position takes no search. A plain
 * sorted array would move everything on each insert; a map would have to be sorted for each read.
 */

export interface Keyed {
  readonly key: string;
}

const RUN_LENGTH_MAX = 512;

export class OrderedIndex<Item extends Keyed> {
  /** No run is empty. */
  readonly #runs: Item[][] = [];
  readonly #byKey = new Map<string, Item>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Item | undefined {
    return this.#byKey.get(key);
  }

  /** The key must not exist yet. */
  insert(item: Item): void {
    this.#byKey.set(item.key, item);
    // A key after all others is added to the last run, so that ascending inserts fill whole runs.
    const at = Math.min(this.#runOf(item.key), this.#runs.length - 1);
    const run = this.#runs[at];
    if (run === undefined) {
      this.#runs.push([item]);
      return;
    }
    run.splice(lowerBound(run, item.key), 0, item);
    if (run.length > RUN_LENGTH_MAX) this.#split(at, run);
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const at = this.#runOf(key);
    const run = this.#runs[at] ?? [];
    run.splice(lowerBound(run, key), 1);
    if (run.length === 0) this.#runs.splice(at, 1);
  }

  /** Visits the items from `start` on, until there are no more or `visit` returns false. */
  scan(start: string, visit: (item: Item) => boolean): void {
    const first = this.#runOf(start);
    for (let at = first; at < this.#runs.length; at++) {
      const run = this.#runs[at] ?? [];
      const from = at === first ? lowerBound(run, start) : 0;
      for (let index = from; index < run.length; index++) {
        const item = run[index];
        if (item !== undefined && !visit(item)) return;
      }
    }
  }

  /** The first run that does not end before the key: the only run that can contain it. */
  #runOf(key: string): number {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#runs[middle]?.at(-1);
      if (last !== undefined && last.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Keys often arrive in ascending order; then the first part stays full. */
  #split(at: number, run: Item[]): void {
    const isLast = at === this.#runs.length - 1;
    const keep = isLast ? RUN_LENGTH_MAX - RUN_LENGTH_MAX / 8 : run.length >>> 1;
    this.#runs.splice(at + 1, 0, run.splice(keep));
  }
}

/** The position of the key, or where it would be. */
function lowerBound(run: readonly Keyed[], key: string): number {
  let [low, high] = [0, run.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = run[middle];
    if (item !== undefined && item.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
