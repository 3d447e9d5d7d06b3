/**
 * Decides which users must rest: those whose requests have blocked the thread for long, without a turn for
 * others in between.
 *
 * The server has one thread, and a request needs several turns of the event loop. If a long computation of
 * another user ran in each of these turns, the request would wait for all of them. So after a long
 * computation its user rests for several times as long, and gets only a part of the thread: the user's next
 * request waits, and so does the next step of a request that computes in several steps. A user who is alone
 * never rests.
 */

/** Shorter computations need no rest. */
const FREE_MS = 5;
/** With this rest a user gets at most a fifth of the thread. */
const REST_FACTOR = 4;
const REST_MS_MAX = 2000;
/** How long another user counts as active after its last request. */
const RECENT_MS = 2000;
const USERS_MAX = 1000;

export class Rests {
  readonly #untilMs = new Map<string, number>();
  readonly #seenMs = new Map<string, number>();

  /** Records that a request of this user arrived. */
  seen(user: string, nowMs: number): void {
    this.#seenMs.delete(user);
    this.#seenMs.set(user, nowMs);
    for (const [other, seenMs] of this.#seenMs) {
      if (this.#seenMs.size <= USERS_MAX && nowMs - seenMs <= RECENT_MS) break;
      this.#seenMs.delete(other);
    }
  }

  /** How long the user rests after a computation of `computedMs`. Zero: no rest. */
  computed(user: string, computedMs: number, nowMs: number): number {
    if (computedMs <= FREE_MS || this.#isAlone(user, nowMs)) return 0;
    const restMs = Math.min(REST_FACTOR * computedMs, REST_MS_MAX);
    this.#untilMs.set(user, Math.max(this.#untilMs.get(user) ?? 0, nowMs + restMs));
    return restMs;
  }

  rests(user: string, nowMs: number): boolean {
    return this.remainingMs(user, nowMs) > 0;
  }

  /** Zero: the user does not rest. */
  remainingMs(user: string, nowMs: number): number {
    const untilMs = this.#untilMs.get(user);
    if (untilMs === undefined) return 0;
    if (untilMs > nowMs) return untilMs - nowMs;
    this.#untilMs.delete(user);
    return 0;
  }

  #isAlone(user: string, nowMs: number): boolean {
    for (const [other, seenMs] of this.#seenMs) {
      if (other !== user && nowMs - seenMs <= RECENT_MS) return false;
    }
    return true;
  }
}
