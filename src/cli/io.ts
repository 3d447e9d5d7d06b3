/** What a command may touch of the world: handed in, so that a test can look on. */
export interface Io {
  /** Results go here. */
  readonly out: (text: string) => void;
  /** Talk about the work goes here: progress, warnings, errors. */
  readonly err: (text: string) => void;
}
