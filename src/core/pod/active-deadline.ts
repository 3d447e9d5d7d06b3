/** Decides whether a pod has exceeded its activeDeadlineSeconds (KL-24). */
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { Time } from '../../api/meta.ts';
import { secondsBetween } from '../../api/values/time.ts';

export const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
} as const;

/** `status` is the newest known status: the deadline counts from its start time. */
export function isPastDeadline(pod: Pod, status: PodStatus, now: Time): boolean {
  const activeDeadlineSeconds = pod.spec.activeDeadlineSeconds ?? null;
  if (activeDeadlineSeconds === null || !status.startTime) return false;
  return secondsBetween(status.startTime, now) >= activeDeadlineSeconds;
}
