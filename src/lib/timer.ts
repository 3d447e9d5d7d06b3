/** The part of a clock that is needed to wait and to measure. `Clock` of the ports is one. */
export interface Timer {
  /** Milliseconds since some unknown start. It never runs backward. */
  monotonic(): number;
  /** Calls `wake` once, `delayMs` from now, unless the returned function is called first. */
  after(delayMs: number, wake: () => void): () => void;
}
