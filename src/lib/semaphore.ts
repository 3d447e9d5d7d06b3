/** A semaphore: limits how many pieces of work run at once, in the order of arrival. */
import { offAbort, onAbort } from './abort-listeners.ts';
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason if the signal is aborted while the caller still waits. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.take(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Returns the function that releases the semaphore. Calling it again does nothing. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let holds = true;
    return () => {
      if (holds) this.#giveOn();
      holds = false;
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        offAbort(signal, leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      onAbort(signal, leave);
      this.#waiting.add(enter);
    });
  }

  /** Passes the slot to the next waiter, so that a later caller cannot take it first. */
  #giveOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
