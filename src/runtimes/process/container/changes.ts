/** A condition variable: callers wait until a condition of a changing object is true. */
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import type { Clock } from '../../../ports/clock.ts';

export class Changes {
  readonly #clock: Clock;
  readonly #waiters = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call when the object has changed: waiting callers check their condition again. */
  notify(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Returns when `isTrue` is true, or after `ms`. Rejects when the caller aborts. */
  until(
    isTrue: () => boolean,
    { ms, signal }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(check);
        offAbort(signal, abort);
        cancel();
        then();
      };
      const check = (): void => {
        if (isTrue()) settle(resolve);
      };
      const abort = (): void => settle(() => reject(signal?.reason));
      const cancel =
        ms === undefined ? () => undefined : this.#clock.after(ms, () => settle(resolve));
      this.#waiters.add(check);
      onAbort(signal, abort);
      if (signal?.aborted) abort();
    });
  }
}
