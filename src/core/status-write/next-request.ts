/**
 * Decides the next API request for the status of one pod (SM-70 to SM-79).
 *
 *     no object of the pod is known ──> missing       another pod has that name ──> drop
 *     podkeep's status differs from it ──> patch      the pod may be deleted ──> remove
 *     otherwise ──> settled
 *
 * There is no GET before a write: the patch is made against the newest known object, from the watch or from
 * the response to the last write. The UID in the patch makes sure that it does not change another pod that
 * took the name meanwhile.
 */
import type { Time, UID } from '../../api/meta.ts';
import { createTwoWayMergePatch } from '../../api/patch/two-way-merge-patch.ts';
import type { Pod } from '../../api/pod.ts';
import { structOf } from '../../api/schema/schema.ts';
import { shareEqualFields } from '../../api/values/semantic-equal.ts';
import { carryUnknownFields } from '../../api/unknown-fields.ts';
import type { Json } from '../../lib/json.ts';
import { mergeStatus } from '../pod-status/merge-status.ts';
import { isBeingDeleted, isMirrorPod, isTerminalPhase } from '../pod/pod-facts.ts';
import type { StatusRecord } from '../pod-status/status-record.ts';

/** Everything that the next request depends on, as it is now. */
export interface WriteView {
  readonly record: StatusRecord;
  /**
   * The UID under which the API has the pod: for a static pod that of its mirror pod. Null: there is no
   * mirror pod yet, so there is nothing to write to (SM-57).
   */
  readonly apiUid: UID | null;
  /** `apiUid` is a mirror pod's: the pod itself came from a manifest. */
  readonly isMirrored: boolean;
  /** The newest object known under the pod's namespace and name. */
  readonly known: Pod | null;
  readonly couldHaveRunningContainers: boolean;
  readonly now: Time;
}

export type WriteRequest =
  | { readonly type: 'patch'; readonly version: number; readonly body: Json }
  /** Remove the pod from the API: it is finished, and it is being deleted. */
  | { readonly type: 'remove'; readonly version: number; readonly uid: UID }
  /** The API has the status that podkeep has. */
  | { readonly type: 'settled'; readonly version: number }
  | { readonly type: 'missing' }
  | { readonly type: 'drop' }
  | { readonly type: 'nothing' };

/**
 * `isAnswered`: the API has just acknowledged our newest status, so the two are not compared. If the API
 * dropped a field of the status, this must not prevent the deletion of the pod.
 */
export function nextRequest(view: WriteView, isAnswered: boolean): WriteRequest {
  const { record, apiUid, known } = view;
  if (apiUid === null) return { type: 'nothing' };
  if (!known) return { type: 'missing' };
  if (known.metadata.uid !== apiUid) {
    // A mirror pod may be replaced while its static pod lives on: then the next one is written (F-13).
    return view.isMirrored ? { type: 'nothing' } : { type: 'drop' };
  }
  const { version } = record;
  const body = isAnswered ? null : patchOf(view, known, apiUid);
  if (body !== null) return { type: 'patch', version, body };
  if (canBeDeleted(known, record)) return { type: 'remove', version, uid: apiUid };
  return { type: 'settled', version };
}

/** The status in the API decides, not the status that podkeep will write (SM-61). */
export function canBeDeleted(pod: Pod, { isFinished }: StatusRecord): boolean {
  return (
    isFinished && isBeingDeleted(pod) && !isMirrorPod(pod) && isTerminalPhase(pod.status?.phase)
  );
}

/** Null: nothing would change. */
function patchOf(view: WriteView, pod: Pod, uid: UID): Json | null {
  const old = pod.status ?? {};
  const { record, couldHaveRunningContainers, now } = view;
  const type = structOf('core/v1.PodStatus');
  const found = mergeStatus({ pod, old, status: record.status, couldHaveRunningContainers, now });
  const status = shareEqualFields(old, carryUnknownFields(old, found, type), type);
  if (status === old) return null;
  // Without a list, the patch would delete the whole list, and with it conditions of other components that
  // podkeep has not seen yet. With an empty list, the patch deletes only podkeep's own conditions.
  const wanted = status.conditions || !old.conditions ? status : { ...status, conditions: [] };
  const modified = { metadata: { uid }, status: wanted };
  return createTwoWayMergePatch({ status: old }, modified, structOf('core/v1.Pod'));
}
