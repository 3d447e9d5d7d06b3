/**
 * Whether a pod whose status was written once needs another look (SM-58 to SM-62).
 *
 * Somebody may have overwritten the status in the API, or asked for the pod's deletion after its
 * last word was written. Both show in the object that the watch brought.
 */
import type { Pod } from '../../api/pod.ts';
import { normalizeStatus } from '../normalize-status.ts';
import { isStaticPod } from '../pod-facts.ts';
import { isStatusEqual } from '../status-equality.ts';
import type { StatusRecord } from '../status-record.ts';
import { canBeDeleted } from './next-request.ts';

/** Why it needs one; null if it does not. */
export type ReconcileNeed = 'deletable' | 'different' | null;

/** `pod` and its mirror are as the watch last showed them; neither is there once they left. */
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
