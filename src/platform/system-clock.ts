/** The Clock of this machine: the only code in podkeep that reads the time or sets a timer. */
import type { Cancel, Clock } from '../ports/clock.ts';

/** Node.js fires a timer with a longer delay than this immediately. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: wakeAfter,
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  // A tick that is requested in a promise runs after all pending promise callbacks.
  drained: (then) => void Promise.resolve().then(() => process.nextTick(then)),
};

function wakeAfter(delayMs: number, wake: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const set = (remainingMs: number): void => {
    const stepMs = Math.min(remainingMs, TIMER_MS_MAX);
    timer = setTimeout(() => {
      if (remainingMs > stepMs) set(remainingMs - stepMs);
      else wake();
    }, stepMs);
  };
  set(Math.max(delayMs, 0));
  return () => clearTimeout(timer);
}
