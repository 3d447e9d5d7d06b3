/** Timeouts and delays on podkeep's injected clock. */
import { offAbort, onAbort } from '../lib/abort-listeners.ts';
import type { Clock } from '../ports/clock.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Creates the error of a timeout. */
  readonly overdue: () => Error;
}

/**
 * Runs `work` with a signal that is aborted by the caller's signal or the timeout. Does not wait for work
 * that ignores its signal.
 */
export async function within<Result>(
  { clock, limitMs, overdue }: TimeLimit,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const leave = (): void => abort.abort(signal?.reason);
  onAbort(signal, leave);
  const cancelTimer = clock.after(limitMs, () => abort.abort(overdue()));
  try {
    return await Promise.race([work(abort.signal), whenAborted(abort.signal)]);
  } catch (error) {
    // After an abort the caller gets the reason, whatever error the work throws.
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    cancelTimer();
    offAbort(signal, leave);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Resolves after a delay. Rejects with the signal's reason if the signal is aborted first. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const leave = (): void => {
      cancelTimer();
      reject(signal.reason);
    };
    const cancelTimer = clock.after(delayMs, () => {
      offAbort(signal, leave);
      resolve();
    });
    onAbort(signal, leave);
  });
}
