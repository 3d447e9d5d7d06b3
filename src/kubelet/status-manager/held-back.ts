/**
 * Pods whose news can wait for a moment, while the machine has other things to do.
 *
 *     hold ──> held ──a second has passed──> due
 *               └────── let go: there are better news
 *
 * A burst of pods is started one after the other. To write of each that it is about to be started would
 * make all of them later, and when it is their turn there is more to tell.
 *
 * Invariants:
 *   1. Nobody is held for longer than HELD_MS_MAX, however often there are news of it.
 *   2. There is a timer while somebody is held, and none otherwise.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

const HELD_MS_MAX = 1000;

export class HeldBack {
  readonly #clock: Clock;
  readonly #due: (uid: string) => void;
  /** Since when, by the clock's `monotonic`; the first in comes first. */
  readonly #since = new Map<string, number>();
  #cancelTimer: Cancel | null = null;

  constructor(clock: Clock, due: (uid: string) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  has(uid: string): boolean {
    return this.#since.has(uid);
  }

  hold(uid: string): void {
    if (!this.#since.has(uid)) this.#since.set(uid, this.#clock.monotonic());
    this.#setTimer();
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
