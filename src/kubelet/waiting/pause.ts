/** Pauses of loops such as the node's heartbeats, on the injected clock. */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';

export const heartbeatTimedOut = defineError<{ request: string; seconds: number }>({
  code: 'HEARTBEAT_TIMED_OUT',
  retry: 'backoff',
  message: ({ request, seconds }) => `${request} was not answered within ${seconds} s`,
  hint: () => 'Podkeep retries automatically. If this persists, check the load of the API server.',
});

/** Resolves after the time, or when the signal is aborted. It never rejects. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      offAbort(signal, end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    onAbort(signal, end);
  });
}

/** Adds up to 4 % of jitter to a period (KL-105, KL-106), so that nodes do not send their heartbeats in step. */
export function jittered(periodMs: number, chance: number): number {
  return periodMs * (1 + 0.04 * chance);
}
