/** What a command may touch of the world: handed in, so that a test can look on. */
export interface Io {
  /** Results go here. */
  readonly out: (text: string) => void;
  /** Talk about the work goes here: progress, warnings, errors. */
  readonly err: (text: string) => void;
  /** Bytes as they are. Resolves when whoever reads can take more. */
  readonly write: (stream: 'out' | 'err', bytes: Uint8Array) => Promise<void>;
  readonly stdin: Stdin;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Do signals from the keyboard reach our children too? */
  readonly isTerminal: boolean;
  /** Tells of each wish that we stop, until the function that it returns is called. */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process at once, whatever is under way. */
  readonly exit: (code: number) => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

export interface Stdin {
  /** A person sits at both ends: what they type comes in, and what we print they see. */
  readonly isTerminal: boolean;
  /**
   * Hands over one piece after the other, null at the end; the next waits until `take` has resolved.
   * If it rejects nobody wants more. The function that is returned ends the reading.
   */
  read(take: (chunk: Uint8Array | null) => Promise<void>): () => void;
  /** Keys one by one and as they are, Ctrl-C too. */
  setRaw(isRaw: boolean): void;
  /** Null: it is no terminal. */
  size(): { readonly columns: number; readonly rows: number } | null;
  onResize(listener: () => void): () => void;
}
