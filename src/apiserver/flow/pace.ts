/**
 * Limits the number of steps in each turn of the event loop: further steps wait for the next turns, in order
 * of arrival.
 */
import type { Clock } from '../../ports/clock.ts';

export class Pace {
  readonly #clock: Clock;
  readonly #perTurn: number;
  #left: number;
  #waiting: (() => void)[] = [];
  #turn: Promise<void> | undefined;

  constructor(clock: Clock, perTurn: number) {
    this.#clock = clock;
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Calls `take` when the step may be done: immediately, or in a later turn. */
  step(take: () => void): void {
    this.#turn ??= this.#clock.turn?.().then(() => this.#begin());
    // A clock without turns (in tests) has nothing to wait for.
    if (!this.#turn) return take();
    if (this.#left === 0) return void this.#waiting.push(take);
    this.#left -= 1;
    take();
  }

  #begin(): void {
    this.#turn = undefined;
    this.#left = this.#perTurn;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const take of waiting) this.step(take);
  }
}
