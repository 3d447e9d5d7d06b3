/** Waiting on the injected clock, for something or for a while. */
import type { Clock } from '../../ports/clock.ts';

/** Rejects with the signal's reason if that is aborted first. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Waits for `work`, but not longer than that, and not after an abort. `work` itself goes on. */
export async function waitFor(
  clock: Clock,
  work: Promise<unknown>,
  msMax: number,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const limit = AbortSignal.any([signal, enough.signal]);
  const timeout = wait(clock, msMax, limit).catch(() => {});
  await Promise.race([work, timeout]);
  enough.abort();
  signal.throwIfAborted();
}
