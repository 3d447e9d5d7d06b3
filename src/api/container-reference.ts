/**
 * Refers to one container of a pod, for Events and logs. Where a PodReference is accepted, so is a
 * ContainerReference: an Event then also names the container's field in the spec.
 */
import type { PodReference } from './pod-reference.ts';

export interface ContainerReference extends PodReference {
  /** Such as `spec.containers{web}`. */
  readonly fieldPath: string;
}
