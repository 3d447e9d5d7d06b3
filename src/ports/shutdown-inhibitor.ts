/**
 * Delays shutdowns of the machine with an inhibitor lock, and reports when the machine announces one.
 *
 * While podkeep holds the lock, the machine delays its shutdown, up to the machine's own limit.
 */
export interface ShutdownInhibitor {
  /**
   * Takes the lock, and begins to watch. `delaySeconds`: how long the machine has to wait. Rejects if the
   * machine does not announce shutdowns, or does not permit podkeep to receive the announcements.
   */
  open(delaySeconds: number): Promise<InhibitorSession>;
}

export interface InhibitorSession {
  /** Resolves with the reason when podkeep does not receive announcements any more. The lock is still held. */
  readonly closed: Promise<string>;
  /**
   * Calls back with every announcement of this session: true if the machine is going to shut down, false if
   * it is not, or cancelled it. The first call reports the current state.
   */
  follow(announced: (isShuttingDown: boolean) => void): void;
  /** Takes the lock again, after a release. */
  inhibit(): Promise<void>;
  release(): Promise<void>;
  /** Releases everything. */
  end(): void;
}
