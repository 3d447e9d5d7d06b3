import type { SupervisorLink } from './supervision/supervisor-link.ts';

/** The I/O of a command (streams, signals, exit), injected so that tests can observe it. */
export interface Io {
  /** Results go here. */
  readonly out: (text: string) => void;
  /** Progress, warnings and errors go here. */
  readonly err: (text: string) => void;
  /** Writes raw bytes. Resolves when the reader can take more. */
  readonly write: (stream: 'out' | 'err', bytes: Uint8Array) => Promise<void>;
  readonly stdin: Stdin;
  /** Absent: podkeep has no supervisor. */
  readonly supervisor?: SupervisorLink | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True: results go to a terminal, so control characters must be escaped. */
  readonly isOutTerminal?: boolean;
  /** True: podkeep runs in a terminal, which sends Ctrl-C to child processes, too. */
  readonly isTerminal: boolean;
  /** Calls the listener at each stop signal, until the returned function is called. */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process immediately, whatever is under way. */
  readonly exit: (code: number) => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Stdin {
  /** True: stdin and stdout are a terminal. */
  readonly isTerminal: boolean;
  /**
   * Calls `take` with each chunk, and with null at the end; reads the next chunk when `take` has resolved. If
   * `take` rejects, reading ends. The returned function ends it, too.
   */
  read(take: (chunk: Uint8Array | null) => Promise<void>): () => void;
  /** In raw mode every key is input, even Ctrl-C. */
  setRaw(isRaw: boolean): void;
  /** Null: not a terminal. */
  size(): { readonly columns: number; readonly rows: number } | null;
  onResize(listener: () => void): () => void;
}
