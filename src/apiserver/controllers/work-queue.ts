/**
 * Work by key: what has to be looked at, each key once, never twice at the same time.
 *
 *     add ──> waiting ──> worked on ──> done
 *                ↑            │ failed: again after a while, each time twice as long
 *                └────────────┘ added meanwhile: again at once
 *
 * A key stands for "look at this", not for what has happened to it: whoever works reads the newest
 * state. So ten changes while a key waits are one piece of work, and a restart loses nothing that
 * adding every key would not bring back. Nothing happens while nothing is added.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { StatusError } from '../status.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** For people who read the log. */
  readonly name: string;
  readonly work: (key: string) => Promise<void>;
  /** How many keys are worked on at once. */
  readonly workersMax?: number;
}

const WORKERS_MAX = 8;
const RETRY_MS_MIN = 5;
const RETRY_MS_MAX = 1_000_000;
/** A little chance, so that what failed together does not come back together. */
const JITTER = 0.1;

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
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#waiting.add(key);
    // Not at once: whoever adds may be a listener of the store, in the middle of being told.
    void Promise.resolve().then(() => this.#start());
  }

  /** Adds the key after a while, or earlier if it is to come earlier already. */
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
    this.#running.delete(key);
    this.#start();
  }

  #retry(key: string, error: unknown): void {
    const { random, log, name } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const waitMs = Math.min(RETRY_MS_MIN * 2 ** (failures - 1), RETRY_MS_MAX);
    const retryMs = Math.ceil(waitMs * (1 + random.next() * JITTER));
    const isRace = error instanceof StatusError && error.code === 409;
    const facts = { controller: name, key, failures, retryMs, error };
    // That somebody else was faster is no news for people.
    if (isRace) log.debug('a controller was not the only one to write', facts);
    else log.warn('a controller failed and tries again', facts);
    this.addAfter(key, retryMs);
  }
}
