/** The agent's own log: its newest lines, and how much of it is printed. */
export interface OwnLog {
  /** The newest lines, oldest first, without line ends. */
  lines(): Iterable<OwnLogLine>;
  readonly verbosity: number;
  setVerbosity(v: number): void;
}

export interface OwnLogLine {
  readonly timeMs: number;
  readonly text: string;
}
