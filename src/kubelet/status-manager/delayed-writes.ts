/**
 * Delays the status writes of starting pods by up to one second, while other pods are queued to start.
 *
 *     hold ──> held ──a second has passed──> due
 *               └────── letGo: a more important status is written
 *
 * Pods that arrive together are started one after the other. Writing the start-up progress of each pod would
 * slow down all of them, and a newer status follows soon.
 *
 * Invariants:
 *   1. No write is delayed for longer than HELD_MS_MAX, however often the status changes.
 *   2. There is a timer while a pod is held, and none otherwise.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

const HELD_MS_MAX = 1000;

export class DelayedWrites {
  readonly #clock: Clock;
  readonly #due: (uid: string) => void;
  /** Since when each pod is held, by the clock's `monotonic`; the oldest comes first. */
  readonly #since = new Map<string, number>();
  #cancelTimer: Cancel | null = null;

  constructor(clock: Clock, due: (uid: string) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  has(uid: string): boolean {
    return this.#since.has(uid);
  }

  /** Returns how long the write is delayed from now, or null if it was already held. */
  hold(uid: string): number | null {
    const isHeld = this.#since.has(uid);
    if (!isHeld) this.#since.set(uid, this.#clock.monotonic());
    this.#setTimer();
    return isHeld ? null : HELD_MS_MAX;
  }

  letGo(uid: string): void {
    this.#since.delete(uid);
    if (this.#since.size === 0) this.clear();
  }

  clear(): void {
    this.#since.clear();
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #setTimer(): void {
    const [first] = this.#since.values();
    if (this.#cancelTimer || first === undefined) return;
    const delayMs = first + HELD_MS_MAX - this.#clock.monotonic();
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = null;
      this.#release();
      this.#setTimer();
    });
  }

  #release(): void {
    const dueMs = this.#clock.monotonic() - HELD_MS_MAX;
    for (const [uid, sinceMs] of this.#since) {
      if (sinceMs > dueMs) return;
      this.#since.delete(uid);
      this.#due(uid);
    }
  }
}
