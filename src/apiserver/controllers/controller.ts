/** Something that follows the store and sets right what it finds, until it is stopped. */
export interface Controller {
  /** Resolves when what was under way has ended. */
  stop(): Promise<void>;
}
