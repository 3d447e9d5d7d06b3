/**
 * Time, as something you are handed rather than something you reach for.
 *
 * Only `platform/system-clock.ts` may touch `Date` and timers. In return a test crosses a back-off of
 * five minutes in a microsecond, and a whole day can be replayed from a seed.
 */

/** Stops a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Wall time in milliseconds, for timestamps that others read. It may jump: never subtract two. */
  now(): number;
  /** Milliseconds since some unknown start. It never runs backward: measure and wait with it. */
  monotonic(): number;
  /** Calls `wake` once, `delayMs` from now, and never before this call has returned. */
  after(delayMs: number, wake: () => void): Cancel;
  /** Resolves when sockets and timers that wait have had their turn. Absent: there are none. */
  turn?(): Promise<void>;
}
