/** Tells the users of a pod what happened to it, as Kubernetes events. It never throws. */
import type { PodReference } from './pod-reference.ts';

export interface EventRecorder {
  record(pod: PodReference, type: 'Normal' | 'Warning', reason: string, message: string): void;
}
