/** Receives the metrics of pod statuses. It never throws. */
export interface StatusObserver {
  /** A status was written to the API, `seconds` after it began to wait for the write. */
  statusWritten(seconds: number): void;
  /** A container terminated. Called once for each container (SM-29). */
  containerTerminated(containerType: string, exitCode: number, reason: string): void;
  /** How many resizes are pending, and how many are in progress (SM-101). */
  resizesChanged(counts: {
    readonly pendingByReason: { readonly deferred: number; readonly infeasible: number };
    readonly inProgress: number;
  }): void;
}
