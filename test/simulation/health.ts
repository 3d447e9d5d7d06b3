/** The real health of processes in containers, which a probe would find. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Dice } from './dice.ts';

export class Health {
  readonly #clock: Clock;
  readonly #dice: Dice;
  readonly #startedAtMs = new Map<string, number>();
  readonly #unready = new Set<string>();
  readonly #stuck = new Set<string>();

  constructor(clock: Clock, dice: Dice) {
    this.#clock = clock;
    this.#dice = dice;
  }

  /** Started, and done with its start-up work. */
  isStarted(containerID: string): boolean {
    const now = this.#clock.monotonic();
    let startedAtMs = this.#startedAtMs.get(containerID);
    if (startedAtMs === undefined) {
      startedAtMs = now + this.#dice.between(0, 4000);
      this.#startedAtMs.set(containerID, startedAtMs);
    }
    return now >= startedAtMs;
  }

  isReady(containerID: string): boolean {
    return this.isStarted(containerID) && !this.#unready.has(containerID);
  }

  isAlive(containerID: string): boolean {
    return !this.#stuck.has(containerID);
  }

  /** It stops serving, or serves again. */
  flip(containerID: string): void {
    if (!this.#unready.delete(containerID)) this.#unready.add(containerID);
  }

  /** It hangs, and only a restart helps. */
  stick(containerID: string): void {
    this.#stuck.add(containerID);
  }

  clearUp(): void {
    this.#unready.clear();
    this.#stuck.clear();
  }
}
