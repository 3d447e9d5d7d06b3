/**
 * The back-off before a retry of the API server, as in client-go: 0.8 s, doubled each time up to 30 s, with a
 * jitter of up to 100 %, so that nodes that lost the server together do not reconnect together. Two minutes
 * without a failure reset it.
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

  /** `nowMs`: the clock's `monotonic` time. */
  next(nowMs: number): number {
    if (nowMs - this.#askedAtMs > RESET_MS) this.#nextMs = FIRST_MS;
    const delayMs = this.#nextMs * (1 + this.#random.next());
    this.#nextMs = Math.min(this.#nextMs * 2, LAST_MS);
    this.#askedAtMs = nowMs;
    return delayMs;
  }
}
