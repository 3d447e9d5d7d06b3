/**
 * A clock that stands still until a test moves it, so that hours pass in no time.
 *
 * Timers fire in the order of their times; among equal times, the one that was set first. What a timer
 * starts takes no time: `pass` lets all promises settle before the next timer fires.
 */
import type { Cancel, Clock } from '../../src/ports/clock.ts';
import { isDiskAtWork } from './disk-work.ts';

interface Timer {
  readonly dueMs: number;
  readonly wake: () => void;
}

const START_MS = Date.UTC(2030, 0, 2, 3, 4, 5);

export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #settled: () => Promise<void>;
  #elapsedMs = 0;
  /** In the order in which they will fire. */
  #timers: Timer[] = [];

  /** `settled` waits for the world between two timers; absent: for promises. */
  constructor(startMs = START_MS, settled: () => Promise<void> = promisesSettled) {
    this.#startMs = startMs;
    this.#settled = settled;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, wake: () => void): Cancel {
    const timer: Timer = { dueMs: this.#elapsedMs + Math.max(delayMs, 0), wake };
    const index = this.#timers.findIndex(({ dueMs }) => dueMs > timer.dueMs);
    this.#timers.splice(index < 0 ? this.#timers.length : index, 0, timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers have not fired yet. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves time forward, and fires what falls due on the way. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await this.#settled();
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#elapsedMs = next.dueMs;
      next.wake();
      await this.#settled();
    }
    this.#elapsedMs = untilMs;
  }

  #next(untilMs: number): Timer | undefined {
    const first = this.#timers[0];
    return first !== undefined && first.dueMs <= untilMs ? this.#timers.shift() : undefined;
  }
}

/** Returns when every promise that could settle by itself has done so. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The same, when files are read too: a disk takes real time, and no virtual time. */
export async function filesSettled(): Promise<void> {
  do await promisesSettled();
  while (isDiskAtWork());
}
