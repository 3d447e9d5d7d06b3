/**
 * Time, as a dependency that the caller passes in.
 *
 * Only `platform/system-clock.ts` may use `Date` and timers. So a test crosses a back-off of five
 * minutes in a microsecond, and a whole day can be replayed from a seed.
 */

/** Stops a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void;

/** Yields to the event loop: resolves when other pending work has run. */
export type Turn = () => Promise<void>;

export interface Clock {
  /** Wall time in milliseconds, for timestamps in the API and in logs. It may jump: never subtract two. */
  now(): number;
  /** Milliseconds since some unknown start. It never runs backward: measure and wait with it. */
  monotonic(): number;
  /** Calls `wake` once, `delayMs` from now, and never before this call has returned. */
  after(delayMs: number, wake: () => void): Cancel;
  /** Yields to the event loop: resolves when pending sockets and timers were served. Absent: there are none. */
  turn?(): Promise<void>;
  /**
   * Calls `then` when all work has run that does not wait for a socket or a timer. Absent: this clock does
   * not measure how long that takes.
   */
  drained?(then: () => void): void;
}
