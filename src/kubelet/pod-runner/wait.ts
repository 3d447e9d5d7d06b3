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
  let leave = (): void => {};
  // No signal of its own: to abort one costs more than all the rest, and this is asked for every pod.
  const enough = new Promise<void>((resolve) => {
    const stop = (): void => resolve();
    const cancel = clock.after(msMax, stop);
    leave = () => {
      cancel();
      signal.removeEventListener('abort', stop);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, enough]).finally(leave);
  signal.throwIfAborted();
}
