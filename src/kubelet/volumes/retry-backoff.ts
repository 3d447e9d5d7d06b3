/** When a failed operation may be retried: after half a second, then twice as long each time. */
import type { Clock } from '../../ports/clock.ts';

const FIRST_MS = 500;
/** A little off two minutes, so that it is recognisable. */
const LAST_MS = 122_000;

export class RetryBackoff {
  readonly #clock: Clock;
  #delayMs = 0;
  #notBeforeMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Zero: now. */
  get remainingMs(): number {
    return Math.max(0, this.#notBeforeMs - this.#clock.monotonic());
  }

  failed(): void {
    this.#delayMs = this.#delayMs === 0 ? FIRST_MS : Math.min(2 * this.#delayMs, LAST_MS);
    this.#notBeforeMs = this.#clock.monotonic() + this.#delayMs;
  }

  succeeded(): void {
    this.#delayMs = 0;
    this.#notBeforeMs = -Infinity;
  }
}
