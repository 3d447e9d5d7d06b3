/** Enough of a pod to speak about it. */
export interface PodReference {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}
