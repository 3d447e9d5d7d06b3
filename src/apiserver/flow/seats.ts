/**
 * Assigns seats to requests in the order that fair-queues.ts decides, and refuses requests that have waited
 * too long. A user whose requests have used the thread for long must rest (rests.ts).
 */
import type { Cancel, Clock, Turn } from '../../ports/clock.ts';
import { FairQueues, type LevelLimits } from './fair-queues.ts';
import { Pace } from './pace.ts';
import { Rests } from './rests.ts';

export interface Seat {
  /**
   * Called between two steps of a request that computes for long. After a long step its user must rest, and
   * the request waits.
   */
  readonly turn: Turn;
  readonly free: () => void;
}

/** Why a request gets no seat, with the reasons of kube-apiserver's metrics. */
export type SeatRefusal = 'queue-full' | 'time-out';

const WAIT_MS_MAX = 15_000;

export class Seats<Level extends string> {
  readonly queues: FairQueues<Level>;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #rests = new Rests();
  readonly #starts = new Map<number, () => void>();
  #isStarting = false;

  constructor(clock: Clock, limits: ReadonlyMap<Level, LevelLimits>, startsPerTurn: number) {
    this.#clock = clock;
    this.#pace = new Pace(clock, startsPerTurn);
    this.queues = new FairQueues(limits);
  }

  /**
   * Records that a request of this user runs without a seat. While it is active, the others are not alone.
   */
  seen(user: string): void {
    this.#rests.seen(user, this.#clock.monotonic());
  }

  /** Resolves with the seat, or with the reason for a refusal. */
  async take(level: Level, user: string): Promise<Seat | SeatRefusal> {
    this.seen(user);
    const id = this.queues.enqueue(level, user);
    if (id === null) return 'queue-full';
    if (!(await this.#started(id))) return 'time-out';
    return {
      turn: () => this.#turn(user),
      free: () => {
        this.queues.finish(id);
        this.#startNext();
      },
    };
  }

  async #turn(user: string): Promise<void> {
    await this.#clock.turn?.();
    const restMs = this.#rests.remainingMs(user, this.#clock.monotonic());
    if (restMs > 0) await new Promise<void>((resolve) => void this.#clock.after(restMs, resolve));
    this.#measure(user, this.#clock.monotonic());
  }

  /** False: the request has waited too long. */
  #started(id: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancels: Cancel[] = [];
      this.#starts.set(id, () => {
        for (const cancel of cancels) cancel();
        resolve(true);
      });
      this.#startNext();
      // Most requests start immediately, and need no timer.
      if (!this.#starts.has(id)) return;
      const cancel = this.#clock.after(WAIT_MS_MAX, () => {
        if (!this.queues.remove(id)) return;
        this.#starts.delete(id);
        resolve(false);
      });
      cancels.push(cancel);
    });
  }

  /** Chooses the next request when it may start, not when it begins to wait. */
  #startNext(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#pace.step(() => {
      this.#isStarting = false;
      const nowMs = this.#clock.monotonic();
      const id = this.queues.take((user) => this.#rests.rests(user, nowMs));
      if (id === undefined) return;
      const start = this.#starts.get(id);
      this.#starts.delete(id);
      this.#measure(this.queues.userOf(id) ?? '', nowMs);
      start?.();
      this.#startNext();
    });
  }

  /** Measures how long a step of a request blocks all others. */
  #measure(user: string, startedMs: number): void {
    this.#clock.drained?.(() => {
      const nowMs = this.#clock.monotonic();
      const restMs = this.#rests.computed(user, nowMs - startedMs, nowMs);
      if (restMs > 0) this.#clock.after(restMs, () => this.#startNext());
    });
  }
}
