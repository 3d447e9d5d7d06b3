/**
 * Measures how late the event loop is: a timer of one second that fires after two seconds was one second
 * late. While the loop is blocked, this code does not run either; the first measurement afterwards shows the
 * delay.
 */
import type { Cancel, Clock } from '../ports/clock.ts';

export interface EventLoopLag {
  /** The delay of the last measurement, or of the current one if that is longer. */
  lagMs(): number;
  stop(): void;
}

const PERIOD_MS = 1000;

export function measureEventLoopLag(clock: Clock): EventLoopLag {
  let lastMs = 0;
  let dueMs = 0;
  let cancel: Cancel = () => {};
  const overdueMs = (): number => Math.max(clock.monotonic() - dueMs, 0);
  const measure = (): void => {
    dueMs = clock.monotonic() + PERIOD_MS;
    cancel = clock.after(PERIOD_MS, () => {
      lastMs = overdueMs();
      measure();
    });
  };
  measure();
  return { lagMs: () => Math.max(lastMs, overdueMs()), stop: () => cancel() };
}
