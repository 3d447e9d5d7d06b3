/** Receives the metrics of requests to an API server. It never throws. */
export interface RequestObserver {
  /** The answer of a request has begun. `code` is null if there was none. */
  answered(host: string, method: string, code: number | null, seconds: number): void;
  /** By how much the clock of the server is ahead of this one, by the Date of an answer. */
  serverAhead?(ms: number): void;
}
