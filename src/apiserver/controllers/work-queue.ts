/**
 * A work queue of keys: holds each key once, and never processes a key twice at the same time.
 *
 *     add ──> waiting ──> running ──> done
 *                ↑            │ failed: again after a back-off that doubles
 *                └────────────┘ added while running: again at once
 *
 * A key means "reconcile this object" and does not say what has changed: the worker reads the newest state.
 * So ten changes while a key waits cause one run, and after a restart it suffices to add every key. The queue
 * does not poll.
 *
 * Work without writes never awaits I/O, so thousands of keys would run in one turn of the event loop. So
 * after a few milliseconds the queue yields to requests.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { StatusError } from '../objects/status.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The controller's name in log messages. */
  readonly name: string;
  readonly work: (key: string) => Promise<void>;
  /** How many keys are processed at the same time. */
  readonly workersMax?: number;
}

const WORKERS_MAX = 8;
const RETRY_MS_MIN = 5;
const RETRY_MS_MAX = 1_000_000;
/** Jitter, so that keys that failed together are not retried together. */
const JITTER = 0.1;
/** How long keys are processed before the queue yields to requests. */
const TURN_MS = 5;

interface Timer {
  readonly dueMs: number;
  readonly cancel: Cancel;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();
  /** When this queue last yielded. */
  #turnMs = -Infinity;
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#waiting.add(key);
    // Not synchronously: the caller may be a store listener that is being notified.
    void Promise.resolve().then(() => this.#start());
  }

  /** Adds the key after the delay. An earlier time that is already set stays. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    const dueMs = clock.monotonic() + delayMs;
    const earlier = this.#timers.get(key);
    if (earlier && earlier.dueMs <= dueMs) return;
    earlier?.cancel();
    const cancel = clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { dueMs, cancel });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #start(): void {
    const workersMax = this.#options.workersMax ?? WORKERS_MAX;
    for (const key of this.#waiting) {
      if (this.#running.size >= workersMax) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, error);
    }
    await this.#passTurn();
    this.#running.delete(key);
    this.#start();
  }

  async #passTurn(): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#turnMs < TURN_MS) return;
    await clock.turn?.();
    this.#turnMs = clock.monotonic();
  }

  #retry(key: string, error: unknown): void {
    const { random, log, name } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const waitMs = Math.min(RETRY_MS_MIN * 2 ** (failures - 1), RETRY_MS_MAX);
    const retryMs = Math.ceil(waitMs * (1 + random.next() * JITTER));
    const isRace = error instanceof StatusError && error.code === 409;
    const facts = { controller: name, key, failures, retryMs, error };
    // A write conflict is expected, and not worth a warning.
    if (isRace) log.debug('Controller sync hit a conflict; retrying', facts);
    else log.warn('Controller sync failed; retrying', facts);
    this.addAfter(key, retryMs);
  }
}
