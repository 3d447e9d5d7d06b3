/**
 * What to ask of the API next for one pod (SM-70 to SM-79).
 *
 *     no object known ──> missing        another pod under that name ──> drop
 *     our status differs from it ──> patch        it may be deleted ──> remove        else ──> settled
 *
 * No GET comes before a write: the newest object known, from the watch or from the answer to the
 * last write, is what the patch is made against. The UID in the patch keeps it from hitting a pod
 * that took the name meanwhile.
 */
import type { Time, UID } from '../../api/meta.ts';
import { createTwoWayMergePatch } from '../../api/patch/two-way-merge-patch.ts';
import type { Pod } from '../../api/pod.ts';
import { structOf } from '../../api/schema/schema.ts';
import { shareEqualFields } from '../../api/semantic-equal.ts';
import { carryUnknownFields } from '../../api/unknown-fields.ts';
import type { Json } from '../../lib/json.ts';
import { mergeStatus } from '../merge-status.ts';
import { isBeingDeleted, isMirrorPod, isTerminalPhase } from '../pod-facts.ts';
import type { StatusRecord } from '../status-record.ts';

/** Everything that the next request depends on, as it is now. */
export interface WriteView {
  readonly record: StatusRecord;
  /**
   * The UID under which the API has the pod: for a static pod that of its mirror. Null: there is no
   * mirror yet, so there is nothing to write to (SM-57).
   */
  readonly apiUid: UID | null;
  /** `apiUid` is a mirror's: the pod itself came from a manifest. */
  readonly isMirrored: boolean;
  /** The newest object known under the pod's namespace and name. */
  readonly known: Pod | null;
  readonly couldHaveRunningContainers: boolean;
  readonly now: Time;
}

export type Request =
  | { readonly type: 'patch'; readonly version: number; readonly body: Json }
  /** Take the pod out of the API: it is over, and somebody wants it gone. */
  | { readonly type: 'remove'; readonly version: number; readonly uid: UID }
  /** The API has what we have. */
  | { readonly type: 'settled'; readonly version: number }
  | { readonly type: 'missing' }
  | { readonly type: 'drop' }
  | { readonly type: 'nothing' };

/**
 * `isAnswered`: the API has just answered our newest word, so there is nothing to compare. What it made
 * of that word is its own affair; an API that drops a field must not keep a pod from being deleted.
 */
export function nextRequest(view: WriteView, isAnswered: boolean): Request {
  const { record, apiUid, known } = view;
  if (apiUid === null) return { type: 'nothing' };
  if (!known) return { type: 'missing' };
  if (known.metadata.uid !== apiUid) {
    // A mirror may be replaced while its static pod lives on: then the next one is written (F-13).
    return view.isMirrored ? { type: 'nothing' } : { type: 'drop' };
  }
  const { version } = record;
  const body = isAnswered ? null : patchOf(view, known, apiUid);
  if (body !== null) return { type: 'patch', version, body };
  if (canBeDeleted(known, record)) return { type: 'remove', version, uid: apiUid };
  return { type: 'settled', version };
}

/** The API's own view of the pod counts, not what we are about to write (SM-61). */
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
  // Without a list the patch would delete the whole one, with whatever others have added to it that
  // we have not seen yet. An empty list deletes one by one what was ours.
  const wanted = status.conditions || !old.conditions ? status : { ...status, conditions: [] };
  const modified = { metadata: { uid }, status: wanted };
  return createTwoWayMergePatch({ status: old }, modified, structOf('core/v1.Pod'));
}
