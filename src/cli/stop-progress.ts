/**
 * Reports the pods that a stop still waits for: after two seconds, and then every five.
 */
import type { Cancel, Clock } from '../ports/clock.ts';

const FIRST_MS = 2000;
const AGAIN_MS = 5000;

export class StopProgress {
  readonly #clock: Clock;
  readonly #report: (pods: readonly string[]) => void;
  #cancel: Cancel;
  #pods: readonly string[] = [];

  constructor(clock: Clock, report: (pods: readonly string[]) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#cancel = this.#later(FIRST_MS);
  }

  /** `namespace/name` of the pods that still run. */
  get pods(): readonly string[] {
    return this.#pods;
  }

  readonly update = (pods: readonly string[]): void => {
    this.#pods = pods;
  };

  end(): void {
    this.#cancel();
    this.#pods = [];
  }

  #later(delayMs: number): Cancel {
    return this.#clock.after(delayMs, () => {
      if (this.#pods.length > 0) this.#report(this.#pods);
      this.#cancel = this.#later(AGAIN_MS);
    });
  }
}
