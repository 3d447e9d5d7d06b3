/**
 * The backoff before the API server is tried again, as in client-go: 0.8 s, doubled each time up to 30 s,
 * with jitter of up to as much again, so that nodes that lost the server together do not come back together.
 * Two quiet minutes reset it.
 */
import type { Random } from '../ports/random.ts';

const FIRST_MS = 800;
const LAST_MS = 30_000;
const RESET_MS = 120_000;

export class ReconnectBackoff {
  readonly #random: Random;
  #nextMs = FIRST_MS;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(random: Random) {
    this.#random = random;
  }

  /** `nowMs` is a reading of the clock's `monotonic`. */
  next(nowMs: number): number {
    if (nowMs - this.#askedAtMs > RESET_MS) this.#nextMs = FIRST_MS;
    const delayMs = this.#nextMs * (1 + this.#random.next());
    this.#nextMs = Math.min(this.#nextMs * 2, LAST_MS);
    this.#askedAtMs = nowMs;
    return delayMs;
  }
}
