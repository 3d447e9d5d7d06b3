/**
 * Gives requests their seats, in the order that fair-queues.ts decides, and ends the waiting of those
 * that have waited for too long.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import { FairQueues, type LevelLimits } from './fair-queues.ts';
import { Pace } from './pace.ts';

/** Why a request gets no seat, as kube-apiserver's metrics call it. */
export type SeatRefusal = 'queue-full' | 'time-out';

const WAIT_MS_MAX = 15_000;

export class Seats<Level extends string> {
  readonly queues: FairQueues<Level>;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #starts = new Map<number, () => void>();
  #isStarting = false;

  constructor(clock: Clock, limits: ReadonlyMap<Level, LevelLimits>, startsPerTurn: number) {
    this.#clock = clock;
    this.#pace = new Pace(clock, startsPerTurn);
    this.queues = new FairQueues(limits);
  }

  /** Resolves with what frees the seat again, or with why there is none. */
  async take(level: Level, user: string): Promise<(() => void) | SeatRefusal> {
    const id = this.queues.enqueue(level, user);
    if (id === null) return 'queue-full';
    if (!(await this.#started(id))) return 'time-out';
    return () => {
      this.queues.finish(id);
      this.#startNext();
    };
  }

  /** False: it has waited for too long. */
  #started(id: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancels: Cancel[] = [];
      this.#starts.set(id, () => {
        for (const cancel of cancels) cancel();
        resolve(true);
      });
      this.#startNext();
      // Most requests start at once, and need no timer.
      if (!this.#starts.has(id)) return;
      const cancel = this.#clock.after(WAIT_MS_MAX, () => {
        if (!this.queues.remove(id)) return;
        this.#starts.delete(id);
        resolve(false);
      });
      cancels.push(cancel);
    });
  }

  /** Which request is next is decided when it may start, and not when it begins to wait for that. */
  #startNext(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#pace.step(() => {
      this.#isStarting = false;
      const id = this.queues.take();
      if (id === undefined) return;
      const start = this.#starts.get(id);
      this.#starts.delete(id);
      start?.();
      this.#startNext();
    });
  }
}
