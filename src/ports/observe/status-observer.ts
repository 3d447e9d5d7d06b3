/** Receives the metrics of pod statuses. It never throws. */
export interface StatusObserver {
  /** The API has the status that was first unwritten `seconds` ago. */
  statusWritten(seconds: number): void;
  /** A container ended: counted once (SM-29). */
  containerTerminated(containerType: string, exitCode: number, reason: string): void;
  /** How many resizes are pending, and how many are in progress (SM-101). */
  resizesChanged(counts: {
    readonly pendingByReason: { readonly deferred: number; readonly infeasible: number };
    readonly inProgress: number;
  }): void;
}
