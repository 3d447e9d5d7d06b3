/**
 * When each pod is to be synced again (PW-56).
 *
 * A pod has at most one time. Setting it again replaces it, even with a later one: the newest request
 * counts. The clock orders the times and calls back, so there is no polling.
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
