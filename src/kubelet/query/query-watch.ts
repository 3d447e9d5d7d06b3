/**
 * The watch of one client: an iterator over the events that the client has not taken yet.
 *
 *     open ── first events ──> live ── unsent bytes over the limit ──> cut
 *                                └──── the consumer returns ─────────> ended
 *
 * 1. Events are taken in the order in which they were offered, and none is left out before the end.
 * 2. The first events (the whole state, or the changes that a resuming client missed) do not count against
 *    the limit; otherwise a client that has missed many changes would be cut each time it resumes.
 * 3. A watch that was cut delivers nothing more; the client resumes with the ID of the last event that it has
 *    taken.
 */
import { defineError } from '../../lib/errors.ts';
import type { QueryEvent } from './query-event.ts';

export interface QueryWatchOptions {
  readonly first: readonly QueryEvent[];
  readonly unsentBytesMax: number;
  /** The ID up to which all events were offered. */
  readonly newestId: () => string;
  readonly ended: (watch: QueryWatch) => void;
}

export const watchTooSlow = defineError<{ bytes: number }>({
  code: 'WATCH_TOO_SLOW',
  retry: 'backoff',
  message: ({ bytes }) => `watch closed: the client fell more than ${bytes} bytes behind`,
  hint: () => 'Watch again from the ID of the last event, read faster, or filter more.',
});

export class QueryWatch implements AsyncIterableIterator<QueryEvent> {
  readonly #options: QueryWatchOptions;
  #first: readonly QueryEvent[];
  #firstTaken = 0;
  #queue: QueryEvent[] = [];
  #queueTaken = 0;
  #unsentBytes = 0;
  #isEnded = false;
  #error: Error | null = null;
  #waiting: (() => void) | null = null;
  readonly #cutListeners: ((error: Error) => void)[] = [];

  constructor(options: QueryWatchOptions) {
    this.#options = options;
    this.#first = options.first;
  }

  /** Only for the feed that opened the watch. */
  offer(event: QueryEvent): void {
    if (this.#isEnded) return;
    this.#queue.push(event);
    this.#unsentBytes += event.frame.byteLength;
    if (this.#unsentBytes > this.#options.unsentBytesMax) this.#cut();
    this.#wake();
  }

  /** Throws WATCH_TOO_SLOW. */
  async next(): Promise<IteratorResult<QueryEvent, undefined>> {
    for (;;) {
      if (this.#error) throw this.#error;
      if (this.#isEnded) return { done: true, value: undefined };
      const value = this.takeNow();
      if (value) return { done: false, value };
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
  }

  /** The next event without waiting; null: there is none now. */
  takeNow(): QueryEvent | null {
    const first = this.#first[this.#firstTaken];
    if (first) {
      this.#firstTaken += 1;
      return first;
    }
    this.#first = [];
    const event = this.#queue[this.#queueTaken];
    if (!event) return null;
    this.#queueTaken += 1;
    this.#unsentBytes -= event.frame.byteLength;
    if (this.#queueTaken === this.#queue.length) {
      this.#queue = [];
      this.#queueTaken = 0;
    }
    return event;
  }

  /** The ID from which a client that has taken all events would resume. Null: it has not taken all events. */
  idleId(): string | null {
    const isIdle = this.#firstTaken >= this.#first.length && this.#queue.length === 0;
    return isIdle && !this.#isEnded ? this.#options.newestId() : null;
  }

  /** Calls the listener immediately when the watch is cut, even if `next` is not pending. */
  onCut(listener: (error: Error) => void): void {
    this.#cutListeners.push(listener);
  }

  /** Ends the watch. */
  async return(): Promise<IteratorResult<QueryEvent, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#first = [];
    this.#queue = [];
    this.#options.ended(this);
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #cut(): void {
    const error = watchTooSlow({ bytes: this.#options.unsentBytesMax });
    this.#error = error;
    this.end();
    for (const listener of this.#cutListeners) listener(error);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.();
  }
}
