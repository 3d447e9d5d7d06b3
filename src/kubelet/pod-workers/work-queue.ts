/**
 * The work queue of the pod workers: wakes each pod when it is due to be synced again (PW-56).
 *
 * A pod has at most one timer. Enqueueing it again replaces the timer, even with a later time: the newest
 * request counts.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

export class WorkQueue {
  readonly #clock: Clock;
  readonly #wake: (uid: string) => void;
  readonly #timers = new Map<string, Cancel>();

  constructor(clock: Clock, wake: (uid: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  enqueue(uid: string, delayMs: number): void {
    this.drop(uid);
    const cancel = this.#clock.after(delayMs, () => {
      this.#timers.delete(uid);
      this.#wake(uid);
    });
    this.#timers.set(uid, cancel);
  }

  drop(uid: string): void {
    this.#timers.get(uid)?.();
    this.#timers.delete(uid);
  }

  clear(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
