/**
 * Decides whether a pod whose status was written needs another write (SM-58 to SM-62).
 *
 * Another client may have overwritten the status in the API, or deleted the pod after its last status was
 * written. Both show in the object that the watch delivered.
 */
import type { Pod } from '../../api/pod.ts';
import { normalizeStatus } from '../pod-status/normalize-status.ts';
import { isStaticPod } from '../pod/pod-facts.ts';
import { isStatusEqual } from '../pod-status/status-equality.ts';
import type { StatusRecord } from '../pod-status/status-record.ts';
import { canBeDeleted } from './next-request.ts';

/** Why the pod needs another write. Null: it does not. */
export type ReconcileNeed = 'deletable' | 'different' | null;

/** `pod` and its mirror pod are those that the watch delivered last. Absent: they were deleted. */
export function reconcileNeed(
  record: StatusRecord,
  pod: Pod | undefined,
  mirrorPod: Pod | undefined,
): ReconcileNeed {
  if (!pod) return null;
  const isStatic = isStaticPod(pod);
  if (!isStatic && canBeDeleted(pod, record)) return 'deletable';
  const inApi = isStatic ? mirrorPod : pod;
  if (!inApi) return null;
  const seen = normalizeStatus(inApi, inApi.status ?? {});
  return isStatusEqual(seen, record.status) ? null : 'different';
}
