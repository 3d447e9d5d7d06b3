/** A loop that follows the store and reconciles what it finds, until it is stopped. */
export interface Controller {
  /** Resolves when work in progress has ended. */
  stop(): Promise<void>;
}
