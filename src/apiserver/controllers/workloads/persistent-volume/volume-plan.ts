/**
 * Decides what happens to a volume (claim-plan.ts decides about claims).
 *
 *     names no claim, or one without UID ──> Available: claim-plan.ts binds it
 *     its claim is gone ───────────────────> reclaim, by policy
 *     its claim has no volume yet ─────────> claim-plan.ts completes the binding
 *     its claim names it ──────────────────> Bound
 *     its claim has another volume ────────> reclaim if it was provisioned for the claim, else unbind
 */
import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { hasFinalizer, isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { annotationOf, volumeModeOf } from '../../scheduler/storage/claim-facts.ts';
import { DELETION_FINALIZER, PROVISIONED_BY } from './provisioned-volume.ts';

export type VolumePlan =
  | { readonly type: 'phase'; readonly phase: 'Available' | 'Bound' }
  | { readonly type: 'reclaim' }
  /** The claim must be decided again. */
  | { readonly type: 'claim'; readonly claim: JsonObject }
  | { readonly type: 'mismatch'; readonly claim: JsonObject }
  | { readonly type: 'unbind' };

/** `claim`: the one that the volume names, by its name; undefined: there is none. */
export function planVolume(volume: JsonObject, claim: JsonObject | undefined): VolumePlan {
  const reference = valueAt(volume, 'spec.claimRef');
  const uid = textAt(volume, 'spec.claimRef.uid');
  if (!isJsonObject(reference) || uid === '') {
    // Kubernetes leaves such a volume with its finalizer, so that it can never be deleted.
    const isLeft = isBeingDeleted(volume) && hasFinalizer(volume, DELETION_FINALIZER);
    return isLeft ? { type: 'reclaim' } : { type: 'phase', phase: 'Available' };
  }
  // Another claim of that name has taken the place of the one that had the volume.
  if (!claim || uidOf(claim) !== uid) return { type: 'reclaim' };
  const bound = textAt(claim, 'spec.volumeName');
  if (bound === nameOf(volume)) return { type: 'phase', phase: 'Bound' };
  if (bound === '') {
    const isMismatch = volumeModeOf(claim) !== volumeModeOf(volume);
    return { type: isMismatch ? 'mismatch' : 'claim', claim };
  }
  const isProvisioned = annotationOf(volume, PROVISIONED_BY) !== undefined;
  const isDeletable = textAt(volume, 'spec.persistentVolumeReclaimPolicy') === 'Delete';
  return { type: isProvisioned && isDeletable ? 'reclaim' : 'unbind' };
}
