/** The reason why admission rejects a pod, and the status of a rejected pod (KL-62). */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { qosClass } from '../resources/qos-class.ts';

/** Both in the kubelet's wording, because people and programs match on it. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** For unexpected errors, and for preemptions that cannot free enough. */
export const UNEXPECTED_ADMISSION_ERROR = 'UnexpectedAdmissionError';

/** No conditions and no container statuses: nothing of this pod was ever started. */
export function rejectionStatus(pod: Pod, { reason, message }: Rejection): PodStatus {
  return {
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    qosClass: qosClass(pod),
  };
}
