/** Identifies a pod, for Events and logs. */
export interface PodReference {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}
