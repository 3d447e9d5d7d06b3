/** A controller: a loop that follows the store and reconciles objects until it is stopped. */
export interface Controller {
  /** Resolves when running work has finished. */
  stop(): Promise<void>;
}
