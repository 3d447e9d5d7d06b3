/**
 * The items that a watcher has yet to read: sent as fast as it reads them, and no faster.
 *
 *     first ones (made when they are taken) ──> waiting ones ──> the client
 *
 * 1. The first ones are not stored: however many objects there are, a slow reader costs nothing.
 * 2. The weight of what waits is bounded. A reader that lets more pile up is cut off with a final item.
 * 3. Everything that waits when the reader comes is taken in one piece.
 */

export interface OutboxDeps<Item> {
  readonly weigh: (item: Item) => number;
  /** The most that may wait for one reader. */
  readonly waitingMax: number;
  /** How much of the first ones is sent in one piece. */
  readonly piece: number;
}

export class Outbox<Item> {
  readonly #first: Iterator<Item>;
  readonly #deps: OutboxDeps<Item>;
  readonly #onEnd: () => void;
  #isFirstDone = false;
  #waiting: Item[] = [];
  #weight = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** `onEnd`: the reader has left, or the box was closed. Called once. */
  constructor(first: Iterable<Item>, deps: OutboxDeps<Item>, onEnd: () => void) {
    this.#first = first[Symbol.iterator]();
    this.#deps = deps;
    this.#onEnd = onEnd;
  }

  /** The first ones have not all been taken. */
  get hasFirst(): boolean {
    return !this.#isFirstDone;
  }

  /** False: the reader is too slow, and should be cut off with `close`. */
  put(item: Item): boolean {
    if (this.#isClosed) return true;
    const { weigh, waitingMax } = this.#deps;
    this.#waiting.push(item);
    this.#weight += weigh(item);
    this.#wake?.();
    return this.#weight <= waitingMax;
  }

  /** Ends it: after what waits, or after a final item instead of it. */
  close(lastWord?: Item): void {
    if (this.#isClosed) return;
    if (lastWord !== undefined) {
      this.#waiting = [lastWord];
      this.#isFirstDone = true;
    }
    this.#end();
  }

  /** The reader has left. */
  leave(): void {
    this.#waiting = [];
    this.#isFirstDone = true;
    this.#end();
  }

  /** What can be sent, as soon as there is something; null: nothing will come any more. */
  async take(): Promise<readonly Item[] | null> {
    for (;;) {
      const items = this.#takeFirst() ?? this.#takeWaiting();
      if (items) return items;
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #end(): void {
    this.#wake?.();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onEnd();
  }

  #takeFirst(): readonly Item[] | null {
    if (this.#isFirstDone) return null;
    const { weigh, piece } = this.#deps;
    const items: Item[] = [];
    for (let weight = 0; weight < piece;) {
      const { done, value } = this.#first.next();
      if (done) {
        this.#isFirstDone = true;
        break;
      }
      items.push(value);
      weight += weigh(value);
    }
    return items.length > 0 ? items : null;
  }

  #takeWaiting(): readonly Item[] | null {
    const items = this.#waiting;
    if (items.length === 0) return null;
    this.#waiting = [];
    this.#weight = 0;
    return items;
  }
}
