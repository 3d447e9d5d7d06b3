/**
 * Computes when a failed volume operation may be retried: after 0.5 s, then twice as long each time, up to
 * the maximum of Kubernetes' kubelet, 2 min 2 s.
 */
import type { Clock } from '../../ports/clock.ts';

const FIRST_MS = 500;
/** The kubelet's maximum. It differs a little from two minutes, so that it is recognisable in logs. */
const LAST_MS = 122_000;

export class RetryBackoff {
  readonly #clock: Clock;
  #delayMs = 0;
  #notBeforeMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Zero: the operation may be retried now. */
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
