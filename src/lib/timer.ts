/**
 * The part of a clock that code in lib needs to wait and to measure time. Every `Clock` (ports/clock.ts) is a
 * Timer.
 */
export interface Timer {
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonic(): number;
  /** Calls `wake` once, `delayMs` from now, unless the returned function is called first. */
  after(delayMs: number, wake: () => void): () => void;
}
