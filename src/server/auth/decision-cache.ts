/**
 * Caches authentication and authorization decisions for a limited time. Concurrent callers share one request.
 * A failed request is not cached: the next caller makes a new one.
 */
import type { Clock } from '../../ports/clock.ts';

interface Kept<Answer> {
  readonly answer: Answer;
  readonly untilMs: number;
}

const ENTRIES_MAX = 4096;

export class DecisionCache<Answer> {
  readonly #clock: Clock;
  readonly #lifeMs: (answer: Answer) => number;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept<Answer>>();
  readonly #asked = new Map<string, Promise<Answer>>();

  constructor(clock: Clock, lifeMs: (answer: Answer) => number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  async get(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const kept = this.#kept.get(key);
    if (kept && kept.untilMs > this.#clock.monotonic()) return kept.answer;
    const asked = this.#asked.get(key);
    if (asked) return asked;
    const answer = ask();
    this.#asked.set(key, answer);
    try {
      this.#keep(key, await answer);
    } finally {
      this.#asked.delete(key);
    }
    return answer;
  }

  #keep(key: string, answer: Answer): void {
    const lifeMs = this.#lifeMs(answer);
    this.#kept.delete(key);
    if (lifeMs <= 0) return;
    this.#kept.set(key, { answer, untilMs: this.#clock.monotonic() + lifeMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > ENTRIES_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}
