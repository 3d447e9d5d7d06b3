/** Where a pod may say something else than the recorded one said: word by word, and why. */
export interface Difference {
  /** `*`: all of them. */
  readonly case: string;
  /** Of a value of the status, or `event` with its type, its reason and its container. */
  readonly path: string;
  /** Null: it says nothing. */
  readonly kubelet: string | number | null;
  readonly podkeep: string | number;
  readonly why: string;
}
