/**
 * Calls back when no activity was reported for a while. It uses one timer, however much activity there is.
 */
import type { Timer } from './timer.ts';

export class IdleTimer {
  readonly #clock: Timer;
  readonly #limitMs: number;
  readonly #expire: () => void;
  #last: number;
  #cancel: () => void;

  /** `limitMs` 0: no limit. */
  constructor(clock: Timer, limitMs: number, expire: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#expire = expire;
    this.#last = clock.monotonic();
    this.#cancel = limitMs > 0 ? clock.after(limitMs, () => this.#look()) : () => {};
  }

  touch(): void {
    this.#last = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const leftMs = this.#last + this.#limitMs - this.#clock.monotonic();
    if (leftMs <= 0) this.#expire();
    else this.#cancel = this.#clock.after(leftMs, () => this.#look());
  }
}
