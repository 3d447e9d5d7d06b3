/** Why a pod is not taken, and what its status says then (KL-62). */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { qosClass } from '../qos-class.ts';

/** Both in the words of the kubelet, because people and programs look for them. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** For what nobody could foresee, and for room that cannot be made. */
export const UNEXPECTED_ADMISSION_ERROR = 'UnexpectedAdmissionError';

/** No conditions and no containers: nothing of this pod was ever begun. */
export function rejectionStatus(pod: Pod, { reason, message }: Rejection): PodStatus {
  return {
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    qosClass: qosClass(pod),
  };
}
