/** Waits on the injected clock. */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Rejects with the signal's reason if the signal is aborted first; an infinite wait ends only that way. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel: Cancel | undefined = Number.isFinite(ms)
      ? clock.after(ms, () => {
          offAbort(signal, abort);
          resolve();
        })
      : undefined;
    const abort = (): void => {
      cancel?.();
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else onAbort(signal, abort);
  });
}
