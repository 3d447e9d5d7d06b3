/**
 * Lets a few pods start at a time, in the order in which they came.
 *
 *     waiting ──a place is free──> starting ──started, or for too long──> the next one's turn
 *
 * Where a start is work for this machine's own cores, fifty at once are all slow, and all of them end
 * together. One after the other, the first are ready while the last have not begun. The last are a
 * little later for it, because less is shared between them, and most are sooner.
 *
 * Invariants:
 *   1. A pod that takes long, because it waits for a volume or an image, holds nobody up for longer
 *      than HOLD_MS: its place is given on, and it goes on beside it.
 *   2. Who gives up waiting leaves the line.
 */
import { Places } from '../../lib/places.ts';
import type { Clock } from '../../ports/clock.ts';

const HOLD_MS = 500;

export class StartLine {
  readonly #clock: Clock;
  readonly #places: Places;

  constructor(clock: Clock, places: number) {
    this.#clock = clock;
    this.#places = new Places(places);
  }

  /** Somebody waits: whatever else there is to do can wait, too. */
  get isBusy(): boolean {
    return this.#places.waiting > 0;
  }

  /** Rejects with the signal's reason if that is aborted before there was a place. */
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
