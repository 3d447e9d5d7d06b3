/** Records Kubernetes Events about a pod. It never throws. */
import type { PodReference } from '../../api/pod-reference.ts';

export interface EventRecorder {
  record(
    pod: PodReference,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    /** Of the Event, for programs. */
    annotations?: Readonly<Record<string, string>>,
  ): void;
}
