/** Waiting on the clock that podkeep was given, and not for ever. */
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';

export const heartbeatTimedOut = defineError<{ request: string; seconds: number }>({
  code: 'HEARTBEAT_TIMED_OUT',
  retry: 'backoff',
  message: ({ request, seconds }) => `${request} was not answered within ${seconds} s`,
  hint: () => 'It is tried again by itself. If this lasts, look at the load of the API server.',
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
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** A period with up to 4 % more by chance (KL-105, KL-106), so that nodes do not fall into step. */
export function jittered(periodMs: number, chance: number): number {
  return periodMs * (1 + 0.04 * chance);
}
