/**
 * A container of a pod, for Events and logs. It is accepted where a PodReference is: an Event about it
 * then names the field of the spec.
 */
import type { PodReference } from './pod-reference.ts';

export interface ContainerReference extends PodReference {
  /** Such as `spec.containers{web}`. */
  readonly fieldPath: string;
}
