/**
 * A container of a pod, for those who tell of it. Where a PodReference is asked for, this may be
 * given: an event about it then names the part of the spec that it is about.
 */
import type { PodReference } from './pod-reference.ts';

export interface ContainerReference extends PodReference {
  /** Such as `spec.containers{web}`. */
  readonly fieldPath: string;
}
