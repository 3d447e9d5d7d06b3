import type { SupervisorLink } from './supervision/supervisor-link.ts';

/** The I/O of a command: injected, so that a test can observe it. */
export interface Io {
  /** Results go here. */
  readonly out: (text: string) => void;
  /** Progress, warnings and errors go here. */
  readonly err: (text: string) => void;
  /** Raw bytes. Resolves when the reader can take more. */
  readonly write: (stream: 'out' | 'err', bytes: Uint8Array) => Promise<void>;
  readonly stdin: Stdin;
  /** Absent: podkeep has no supervisor. */
  readonly supervisor?: SupervisorLink | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results are shown on a terminal, which obeys control characters. Absent: they go elsewhere. */
  readonly isOutTerminal?: boolean;
  /** Do signals from the keyboard reach our children too? */
  readonly isTerminal: boolean;
  /** Calls back at each signal to stop, until the returned function is called. */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process immediately, whatever is under way. */
  readonly exit: (code: number) => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Stdin {
  /** A terminal on both ends: a person types the input and sees the output. */
  readonly isTerminal: boolean;
  /**
   * Hands over one chunk after the other, null at the end; the next waits until `take` has resolved. If
   * it rejects, reading ends. The returned function ends the reading.
   */
  read(take: (chunk: Uint8Array | null) => Promise<void>): () => void;
  /** Raw mode: keys one by one, Ctrl-C too. */
  setRaw(isRaw: boolean): void;
  /** Null: not a terminal. */
  size(): { readonly columns: number; readonly rows: number } | null;
  onResize(listener: () => void): () => void;
}
