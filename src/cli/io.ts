/** What a command may touch of the world: handed in, so that a test can look on. */
export interface Io {
  /** Results go here. */
  readonly out: (text: string) => void;
  /** Talk about the work goes here: progress, warnings, errors. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Do signals from the keyboard reach our children too? */
  readonly isTerminal: boolean;
  /** Tells of each wish that we stop, until the function that it returns is called. */
  readonly onStop: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process at once, whatever is under way. */
  readonly exit: (code: number) => void;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';
