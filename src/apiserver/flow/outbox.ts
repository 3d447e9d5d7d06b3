/**
 * Buffers the items that a watch client has not read yet, and sends them as fast as the client reads.
 *
 *     initial items (made when they are taken) ──> waiting items ──> client
 *
 * 1. The initial items are not buffered, so a slow client costs no memory, however many objects there are.
 * 2. The weight of waiting items is bounded. A client that exceeds it is disconnected with a final item.
 * 3. When the client reads, it gets all waiting items in one piece.
 */

export interface OutboxDeps<Item> {
  readonly weigh: (item: Item) => number;
  /** The largest weight that may wait for one client. */
  readonly waitingMax: number;
  /** The weight of initial items that is sent in one piece. */
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

  /** `onEnd`: called once, when the client has disconnected or the outbox was closed. */
  constructor(first: Iterable<Item>, deps: OutboxDeps<Item>, onEnd: () => void) {
    this.#first = first[Symbol.iterator]();
    this.#deps = deps;
    this.#onEnd = onEnd;
  }

  /** Whether initial items are left. */
  get hasFirst(): boolean {
    return !this.#isFirstDone;
  }

  /** False: the client is too slow, and should be disconnected with `close`. */
  put(item: Item): boolean {
    if (this.#isClosed) return true;
    const { weigh, waitingMax } = this.#deps;
    this.#waiting.push(item);
    this.#weight += weigh(item);
    this.#wake?.();
    return this.#weight <= waitingMax;
  }

  /** Ends the outbox: after the waiting items, or after `final` instead of them. */
  close(final?: Item): void {
    if (this.#isClosed) return;
    if (final !== undefined) {
      this.#waiting = [final];
      this.#isFirstDone = true;
    }
    this.#end();
  }

  /** Called when the client has disconnected. */
  leave(): void {
    this.#waiting = [];
    this.#isFirstDone = true;
    this.#end();
  }

  /** The next items to send, as soon as there are any. Null: there will be no more. */
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
