/**
 * Delays shutdowns of the machine, and reports when one is announced.
 *
 * The lock is a promise of the machine to wait: for as long as it is held, and as long as the machine's own
 * limit allows.
 */
export interface ShutdownInhibitor {
  /**
   * Takes the lock, and begins to watch. `delaySeconds`: how long the machine has to wait. Rejects if it
   * announces no shutdowns, or not to podkeep.
   */
  open(delaySeconds: number): Promise<InhibitorSession>;
}

export interface InhibitorSession {
  /** Resolves with the reason when announcements are not received any more. The lock is still held. */
  readonly closed: Promise<string>;
  /**
   * Calls back with all announcements of this session: true, the machine is going to shut down; false, it is
   * not, or not any more. The first one says how it is now.
   */
  follow(announced: (isShuttingDown: boolean) => void): void;
  /** Takes the lock again, after a release. */
  inhibit(): Promise<void>;
  release(): Promise<void>;
  /** Releases everything. */
  end(): void;
}
