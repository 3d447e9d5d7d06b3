/**
 * Decides the owner of a StatefulSet's claim by `persistentVolumeClaimRetentionPolicy`: the garbage collector
 * deletes the claim with its owner.
 *
 *     whenDeleted  whenScaled   owner of the claim of a wanted pod   of a scaled-down pod
 *     Retain       Retain       none                                 none
 *     Delete       Retain       the StatefulSet                      the StatefulSet
 *     Retain       Delete       none                                 the pod
 *     Delete       Delete       the StatefulSet                      the pod
 *
 * A claim that another controller owns is not changed. A claim whose owner was an earlier StatefulSet or pod
 * of the same name is left to the garbage collector.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { statefulSets } from '../../../kinds/apps/stateful-set.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { isWantedOrdinal, ordinalRange } from './ordinals.ts';

const POLICY = 'spec.persistentVolumeClaimRetentionPolicy';

export interface ClaimHolder {
  readonly set: JsonObject;
  /** Has no UID until it is created. */
  readonly pod: JsonObject;
  readonly ordinal: number;
}

export function deletesWhen(set: JsonObject, when: 'whenDeleted' | 'whenScaled'): boolean {
  return textAt(set, `${POLICY}.${when}`) === 'Delete';
}

/** The owner references that the claim should have. Null: they are correct, or must not be changed. */
export function claimOwners(claim: JsonObject, holder: ClaimHolder): readonly JsonObject[] | null {
  const { set, pod } = holder;
  const references = objectsAt(claim, 'metadata.ownerReferences');
  if (references.some((one) => isStale(one, set, SET) || isStale(one, pod, POD))) return null;
  const own = references.filter((one) => refersTo(one, set, SET) || refersTo(one, pod, POD));
  const others = references.filter((one) => !own.includes(one));
  // If another controller owns the claim, this StatefulSet must not.
  const wanted = isConflicting(claim, holder) ? [] : wantedOwners(holder);
  const key = ({ uid, controller }: JsonObject): Json => [uid ?? '', controller ?? false];
  return jsonEqual(own.map(key), wanted.map(key)) ? null : [...others, ...wanted];
}

/** Whether another controller owns a claim that this StatefulSet should own. */
export function isConflicting(claim: JsonObject, { set, pod }: ClaimHolder): boolean {
  if (!deletesWhen(set, 'whenDeleted') && !deletesWhen(set, 'whenScaled')) return false;
  return objectsAt(claim, 'metadata.ownerReferences').some(
    (one) => one['controller'] === true && !refersTo(one, set, SET) && !refersTo(one, pod, POD),
  );
}

/**
 * Whether the claim belongs to an earlier pod of this name and is about to be deleted with it. A new pod must
 * wait; otherwise it would lose its storage.
 */
export function isLeftover(claim: JsonObject, { set, pod }: ClaimHolder): boolean {
  if (!deletesWhen(set, 'whenScaled')) return false;
  return objectsAt(claim, 'metadata.ownerReferences').some((one) => isStale(one, pod, POD));
}

function wantedOwners({ set, pod, ordinal }: ClaimHolder): readonly JsonObject[] {
  const isScaledAway = !isWantedOrdinal(ordinal, ordinalRange(set));
  if (isScaledAway && deletesWhen(set, 'whenScaled')) return [newControllerRef(pods, pod)];
  return deletesWhen(set, 'whenDeleted') ? [newControllerRef(statefulSets, set)] : [];
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

const SET: Kind = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
const POD: Kind = { apiVersion: 'v1', kind: 'Pod' };

function refersTo(reference: JsonObject, object: JsonObject, { apiVersion, kind }: Kind): boolean {
  return (
    reference['apiVersion'] === apiVersion &&
    reference['kind'] === kind &&
    reference['name'] === nameOf(object)
  );
}

function isStale(reference: JsonObject, object: JsonObject, kind: Kind): boolean {
  return refersTo(reference, object, kind) && reference['uid'] !== uidOf(object);
}
