/** Enough of a pod to refer to it. */
export interface PodReference {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}
