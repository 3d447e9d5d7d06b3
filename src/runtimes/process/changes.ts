/** Lets many wait for something to become true of a thing that changes now and then. */
import type { Clock } from '../../ports/clock.ts';

export class Changes {
  readonly #clock: Clock;
  readonly #waiters = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The thing has changed. */
  notify(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Returns when it is true, or the time is up. Rejects when nobody wants to wait any more. */
  until(
    isTrue: () => boolean,
    { ms, signal }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(check);
        signal?.removeEventListener('abort', abort);
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
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }
}
