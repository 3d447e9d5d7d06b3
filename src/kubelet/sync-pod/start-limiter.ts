/**
 * Limits how many pods start concurrently; the others wait in the order of their arrival.
 *
 *     waiting ──a slot is free──> starting ──started, or HOLD_MS are over──> the slot goes to the next pod
 *
 * If pods start on this machine's own cores, fifty concurrent starts are all slow and all end at the same
 * time. With a limit, the first pods are ready before the last ones begin. Most pods are ready sooner; the
 * last ones are ready a little later, because less work is shared between them.
 *
 * Invariants:
 *   1. A slow start, such as one that waits for a volume or an image, blocks others for at most HOLD_MS: then
 *      its slot goes to the next pod, and it continues without one.
 *   2. An aborted start leaves the queue.
 */
import { Semaphore } from '../../lib/semaphore.ts';
import type { Clock } from '../../ports/clock.ts';

const HOLD_MS = 500;

export class StartLimiter {
  readonly #clock: Clock;
  readonly #slots: Semaphore;

  constructor(clock: Clock, slots: number) {
    this.#clock = clock;
    this.#slots = new Semaphore(slots);
  }

  /** Pods are queued to start, so less urgent work should wait. */
  get isBusy(): boolean {
    return this.#slots.waiting > 0;
  }

  /** Rejects with the signal's reason if it is aborted before there was a slot. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const leave = await this.#slots.take(signal);
    const cancel = this.#clock.after(HOLD_MS, leave);
    try {
      return await work();
    } finally {
      cancel();
      leave();
    }
  }
}
