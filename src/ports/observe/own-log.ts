/**
 * Gives the kubelet's HTTP server access to podkeep's own log: reads its newest lines, and reads and sets its
 * verbosity.
 */
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
