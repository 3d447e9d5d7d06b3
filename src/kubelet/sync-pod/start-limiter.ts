/**
 * Limits how many pods start at once, first come first served.
 *
 *     waiting ──a slot is free──> starting ──started, or for too long──> the next one's turn
 *
 * Where starting a pod uses this machine's own cores, fifty starts at once are all slow and all end
 * together. One after the other, the first pods are ready before the last have begun. Most pods are ready
 * sooner; the last ones a little later, because less work is shared between them.
 *
 * Invariants:
 *   1. A slow start, such as one that waits for a volume or an image, blocks others for at most HOLD_MS:
 *      then its slot goes to the next pod, and it continues without one.
 *   2. An aborted start leaves the queue.
 */
import { Semaphore } from '../../lib/semaphore.ts';
import type { Clock } from '../../ports/clock.ts';

const HOLD_MS = 500;

export class StartLimiter {
  readonly #clock: Clock;
  readonly #places: Semaphore;

  constructor(clock: Clock, places: number) {
    this.#clock = clock;
    this.#places = new Semaphore(places);
  }

  /** Pods wait to start: less urgent work can wait, too. */
  get isBusy(): boolean {
    return this.#places.waiting > 0;
  }

  /** Rejects with the signal's reason if it is aborted before there was a slot. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const leave = await this.#places.take(signal);
    const cancel = this.#clock.after(HOLD_MS, leave);
    try {
      return await work();
    } finally {
      cancel();
      leave();
    }
  }
}
