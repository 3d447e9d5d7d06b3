/** Receives the metrics of requests to an API server. It never throws. */
export interface RequestObserver {
  /** The answer of a request has begun. `code` is null if the API server did not answer. */
  answered(host: string, method: string, code: number | null, seconds: number): void;
  /** How far the server's clock is ahead of this machine's, according to the Date header of an answer. */
  serverAhead?(ms: number): void;
}
