/** Bounds in time, on the clock that podkeep was given. */
import type { Clock } from '../ports/clock.ts';

export interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** What is thrown when the time is over. */
  readonly overdue: () => Error;
}

/**
 * Runs `work` with a signal that is aborted with the caller's own, or when the time is over. It does
 * not wait for work that ignores its signal.
 */
export async function within<Result>(
  { clock, limitMs, overdue }: TimeLimit,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const leave = (): void => abort.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  const cancelTimer = clock.after(limitMs, () => abort.abort(overdue()));
  try {
    return await Promise.race([work(abort.signal), whenAborted(abort.signal)]);
  } catch (error) {
    // Whatever the work made of being aborted, the caller hears why.
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', leave);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Resolves after a time; rejects with the signal's reason if that is aborted first. */
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
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
