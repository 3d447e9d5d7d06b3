/** A binary heap: pops the first item by the given order. */
export class OrderedHeap<Item> {
  readonly #isBefore: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    let index = this.#items.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return first;
    this.#items[0] = last;
    this.#sink();
    return first;
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const child = this.#earlier(left, right);
      if (child >= this.#items.length || !this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #earlier(left: number, right: number): number {
    const [a, b] = [this.#items[left], this.#items[right]];
    return a !== undefined && b !== undefined && this.#isBefore(b, a) ? right : left;
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [a, b] = [this.#items[lower], this.#items[upper]];
    if (a === undefined || b === undefined || !this.#isBefore(a, b)) return false;
    this.#items[upper] = a;
    this.#items[lower] = b;
    return true;
  }
}
