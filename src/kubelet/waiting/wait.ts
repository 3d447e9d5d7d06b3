/** Waits for a time or for a promise, on the injected clock. An abort ends the wait with an error. */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Clock } from '../../ports/clock.ts';

/** Resolves after the time. Rejects with the signal's reason if it is aborted first. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      offAbort(signal, abort);
      resolve();
    });
    if (signal.aborted) abort();
    else onAbort(signal, abort);
  });
}

/** Waits for `work`, but no longer than `msMax`, and not after an abort. `work` itself continues. */
export async function waitFor(
  clock: Clock,
  work: Promise<unknown>,
  msMax: number,
  signal: AbortSignal,
): Promise<void> {
  let leave = (): void => {};
  // Without an AbortSignal: aborting one costs more than all the rest, and this runs for every pod.
  const enough = new Promise<void>((resolve) => {
    const stop = (): void => resolve();
    const cancel = clock.after(msMax, stop);
    leave = () => {
      cancel();
      offAbort(signal, stop);
    };
    if (signal.aborted) stop();
    else onAbort(signal, stop);
  });
  await Promise.race([work, enough]).finally(leave);
  signal.throwIfAborted();
}
