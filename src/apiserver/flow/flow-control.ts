/**
 * API priority and fairness: orders requests so that no user can starve the others, or refuses them with 429.
 *
 *     body (bounded bytes per user) ──> [large: one per user] ──> queue of its user ──> seat ──> response
 *     watch or stream (bounded number per user) ───────────────────────────────────> response, until its end
 *
 * The server has one thread: a request that computes blocks all others, however many seats there are. So one
 * request starts in each turn of the event loop. Requests of other users arrive in between, and
 * fair-queues.ts chooses among all of them. Requests with large bodies take many turns; there are two seats
 * for them, and one user never has both.
 *
 * A body is read before its request waits for a seat, so a client that sends slowly holds no seat.
 */
import type { Clock } from '../../ports/clock.ts';
import type { User } from '../objects/access.ts';
import { tooManyRequests } from '../objects/status.ts';
import type { LevelLimits } from './fair-queues.ts';
import { FlowMetrics } from './flow-metrics.ts';
import type { PriorityLevel } from './priority.ts';
import { Seats, type Seat } from './seats.ts';
import { Tally } from './tally.ts';

const MEGABYTE = 1024 * 1024;
const STARTS_PER_TURN = 1;
const RETRY_AFTER_SECONDS = 1;
const LARGE_BYTES = 64 * 1024;

const LIMITS: ReadonlyMap<PriorityLevel, LevelLimits> = new Map([
  ['leader-election', { seats: 10, seatsPerUser: 5, queuePerUser: 50, queueTotal: 200 }],
  ['system', { seats: 30, seatsPerUser: 10, queuePerUser: 200, queueTotal: 2000 }],
  ['workload-high', { seats: 40, seatsPerUser: 20, queuePerUser: 200, queueTotal: 2000 }],
  ['global-default', { seats: 20, seatsPerUser: 10, queuePerUser: 100, queueTotal: 2000 }],
]);
const LARGE_LIMITS: ReadonlyMap<'large', LevelLimits> = new Map([
  ['large', { seats: 2, seatsPerUser: 1, queuePerUser: 20, queueTotal: 200 }],
]);

export interface BodyShare {
  /** Throws a StatusError (429) if the user's bodies in flight exceed the limit. */
  readonly add: (bytes: number) => void;
  readonly release: () => void;
}

export class FlowControl {
  readonly metrics: FlowMetrics;
  readonly #seats: Seats<PriorityLevel>;
  readonly #largeSeats: Seats<'large'>;
  readonly #bodies = new Tally({ perUser: 24 * MEGABYTE, total: 96 * MEGABYTE });
  readonly #uploads = new Tally({ perUser: 100, total: 2000 });
  readonly #lists = new Tally({ perUser: 20, total: 400 });
  readonly #streams = new Tally({ perUser: 1000, total: 10_000 });

  readonly #exempt: Seat;

  constructor(clock: Clock) {
    this.#exempt = { turn: async () => clock.turn?.(), free: () => {} };
    this.#seats = new Seats(clock, LIMITS, STARTS_PER_TURN);
    this.#largeSeats = new Seats(clock, LARGE_LIMITS, 1);
    this.metrics = new FlowMetrics(this.#seats.queues);
  }

  /** Resolves when the request may run. Throws a StatusError (429). `level`: null: the request is exempt. */
  async seat(level: PriorityLevel | null, { name }: User, bodyBytes = 0): Promise<Seat> {
    if (level === null) {
      this.#seats.seen(name);
      return this.#exempt;
    }
    const isLarge = bodyBytes > LARGE_BYTES;
    const large = isLarge ? await this.#largeSeats.take('large', name) : null;
    if (typeof large === 'string') throw this.#refusal(level, large);
    const seat = await this.#seats.take(level, name);
    if (typeof seat === 'string') {
      large?.free();
      throw this.#refusal(level, seat);
    }
    this.metrics.dispatched(level);
    const free = (): void => {
      seat.free();
      large?.free();
    };
    return { turn: seat.turn, free };
  }

  /**
   * For a request that waits for another server, such as a conversion webhook: it waits for a seat like any
   * other, but gives the seat back at once and counts among the streams of its user until it is freed.
   */
  async slowSeat(level: PriorityLevel | null, user: User, bodyBytes = 0): Promise<Seat> {
    const end = this.stream(level, user);
    try {
      const { turn, free } = await this.seat(level, user, bodyBytes);
      free();
      return { turn, free: end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Counts the bytes of a request's body until `release`. Throws a StatusError (429). */
  body(level: PriorityLevel, { name }: User): BodyShare {
    if (!this.#uploads.add(name)) throw this.#refusal(level, 'concurrency-limit');
    let held = 0;
    return {
      add: (bytes) => {
        if (!this.#bodies.add(name, bytes)) throw this.#refusal(level, 'concurrency-limit');
        held += bytes;
      },
      release: () => {
        this.#uploads.remove(name);
        this.#bodies.remove(name, held);
        held = 0;
      },
    };
  }

  /** Counts a list that is sent in pieces. Returns a function that ends it. Throws a StatusError (429). */
  list(level: PriorityLevel | null, user: User): () => void {
    return this.#hold(this.#lists, level, user);
  }

  /** Counts a watch, or another response without a foreseeable end. Returns a function that ends it. */
  stream(level: PriorityLevel | null, user: User): () => void {
    return this.#hold(this.#streams, level, user);
  }

  #hold(tally: Tally, level: PriorityLevel | null, { name }: User): () => void {
    if (level === null) return () => {};
    if (!tally.add(name)) throw this.#refusal(level, 'concurrency-limit');
    let isOpen = true;
    return () => {
      if (isOpen) tally.remove(name);
      isOpen = false;
    };
  }

  #refusal(level: PriorityLevel, reason: string): Error {
    this.metrics.rejected(level, reason);
    const message = 'Too many requests, please try again later.';
    return tooManyRequests(message, RETRY_AFTER_SECONDS, []);
  }
}
