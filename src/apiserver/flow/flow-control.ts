/**
 * Lets requests run in an order that no single user can spoil, or refuses them with 429.
 *
 *     body (bounded bytes per user) ──> queue of its user ──> seat ──> answer
 *     watch or stream (bounded number per user) ─────────────────────> answer, and its end
 *
 * The server has one thread. A request that computes stops all others, whatever seats there are. So no
 * more than a few requests start in one turn of the event loop: the requests of other users come in
 * between, and fair-queues.ts chooses among all of them.
 *
 * A body is read before its request waits for a seat: a client that sends slowly holds nothing that
 * another one needs.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { User } from '../access.ts';
import { tooManyRequests } from '../status.ts';
import { FairQueues, type LevelLimits } from './fair-queues.ts';
import { FlowMetrics } from './flow-metrics.ts';
import type { Level } from './priority.ts';
import { Tally } from './tally.ts';

const MEGABYTE = 1024 * 1024;
const STARTS_PER_TURN = 4;
const WAIT_MS_MAX = 15_000;
const RETRY_AFTER_SECONDS = 1;

const LIMITS: ReadonlyMap<Level, LevelLimits> = new Map([
  ['leader-election', { seats: 10, seatsPerUser: 5, queuePerUser: 50, queueTotal: 200 }],
  ['system', { seats: 30, seatsPerUser: 10, queuePerUser: 200, queueTotal: 2000 }],
  ['workload-high', { seats: 40, seatsPerUser: 20, queuePerUser: 200, queueTotal: 2000 }],
  ['global-default', { seats: 20, seatsPerUser: 10, queuePerUser: 100, queueTotal: 2000 }],
]);

export class FlowControl {
  readonly metrics: FlowMetrics;
  readonly #clock: Clock;
  readonly #queues = new FairQueues<Level>(LIMITS);
  readonly #starts = new Map<number, () => void>();
  readonly #bodies = new Tally({ perUser: 24 * MEGABYTE, total: 96 * MEGABYTE });
  readonly #uploads = new Tally({ perUser: 100, total: 2000 });
  readonly #streams = new Tally({ perUser: 1000, total: 10_000 });
  #turn: Promise<void> | undefined;
  #startsLeft = STARTS_PER_TURN;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.metrics = new FlowMetrics(this.#queues);
  }

  /** Resolves when the request may run, with what ends it. Throws a StatusError (429). */
  async seat(level: Level | null, { name }: User): Promise<() => void> {
    if (level === null) return () => {};
    const id = this.#queues.enqueue(level, name);
    if (id === null) throw this.#refusal(level, 'queue-full');
    await this.#start(level, id);
    this.metrics.dispatched(level);
    return () => {
      this.#queues.finish(id);
      this.#startNext();
    };
  }

  #start(level: Level, id: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let cancel: Cancel | undefined;
      let isStarted = false;
      this.#starts.set(id, () => {
        isStarted = true;
        cancel?.();
        resolve();
      });
      this.#startNext();
      if (isStarted) return;
      cancel = this.#clock.after(WAIT_MS_MAX, () => {
        if (!this.#queues.remove(id)) return;
        this.#starts.delete(id);
        reject(this.#refusal(level, 'time-out'));
      });
    });
  }

  /** Bytes of the body of a request, until `release`. Throws a StatusError (429). */
  body(level: Level, { name }: User): BodyShare {
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

  /** A watch, or another answer without a foreseeable end. Returns what ends it; or throws (429). */
  stream(level: Level | null, { name }: User): () => void {
    if (level === null) return () => {};
    if (!this.#streams.add(name)) throw this.#refusal(level, 'concurrency-limit');
    let isOpen = true;
    return () => {
      if (isOpen) this.#streams.remove(name);
      isOpen = false;
    };
  }

  #refusal(level: Level, reason: string): Error {
    this.metrics.rejected(level, reason);
    const message = 'Too many requests, please try again later.';
    return tooManyRequests(message, RETRY_AFTER_SECONDS, []);
  }

  #startNext(): void {
    while (this.#startsLeft > 0) {
      const id = this.#queues.take();
      if (id === undefined) return;
      const start = this.#starts.get(id);
      this.#starts.delete(id);
      this.#countStart();
      start?.();
    }
  }

  /** A clock without turns has no others to wait for. */
  #countStart(): void {
    const turn = (this.#turn ??= this.#clock.turn?.());
    if (!turn) return;
    if (this.#startsLeft === STARTS_PER_TURN) {
      void turn.then(() => {
        this.#turn = undefined;
        this.#startsLeft = STARTS_PER_TURN;
        this.#startNext();
      });
    }
    this.#startsLeft -= 1;
  }
}

export interface BodyShare {
  /** Throws a StatusError (429) if the user has too much under way. */
  readonly add: (bytes: number) => void;
  readonly release: () => void;
}
