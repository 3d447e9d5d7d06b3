/** Expected differences between the status of a pod and the recorded one: word by word, and why. */
export interface Difference {
  /** `*`: all of them. */
  readonly case: string;
  /** Of a value of the status, or `event` with its type, its reason and its container. */
  readonly path: string;
  /** Null: there is none. */
  readonly kubelet: string | number | null;
  /** Null: there is none, where the kubelet records an event. */
  readonly podkeep: string | number | null;
  /** Only where podkeep is root. */
  readonly isForRoot?: boolean;
  readonly why: string;
}
