/**
 * Adds and removes the finalizers that protect storage in use, and determines what counts as use.
 *
 *     claim    a pod with a node names it, or owns it for an ephemeral volume
 *     volume   it is bound to a claim
 *     class    a claim or a volume names it
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { persistentVolumeClaims } from './persistent-volume-claim.ts';
import { persistentVolumes } from './persistent-volume.ts';
import { isGiven, readText } from '../../../api/validation/json-reading.ts';
import { volumeAttributesClasses } from './volume-attributes-class.ts';
import { listOf, metadataOf, nameOf, textOf, withMetadata } from '../../objects/metadata.ts';

const FINALIZERS: ReadonlyMap<KindDefinition, string> = new Map([
  [persistentVolumes, 'kubernetes.io/pv-protection'],
  [persistentVolumeClaims, 'kubernetes.io/pvc-protection'],
  [volumeAttributesClasses, 'kubernetes.io/vac-protection'],
]);

export function withProtection(object: JsonObject, definition: KindDefinition): JsonObject {
  const finalizer = FINALIZERS.get(definition);
  if (finalizer === undefined || isProtected(object, definition)) return object;
  const finalizers = [...listOf(metadataOf(object)['finalizers']), finalizer];
  return withMetadata(object, { finalizers });
}

export function withoutProtection(object: JsonObject, definition: KindDefinition): JsonObject {
  if (!isProtected(object, definition)) return object;
  const finalizer = FINALIZERS.get(definition);
  const left = listOf(metadataOf(object)['finalizers']).filter((one) => one !== finalizer);
  return withMetadata(object, { finalizers: left.length === 0 ? undefined : left });
}

export function isProtected(object: JsonObject, definition: KindDefinition): boolean {
  const finalizer = FINALIZERS.get(definition);
  return finalizer !== undefined && listOf(metadataOf(object)['finalizers']).includes(finalizer);
}

export function isLeaving(object: JsonObject): boolean {
  return metadataOf(object)['deletionTimestamp'] !== undefined;
}

/**
 * `pod`: in the claim's namespace. A pod without a node does not use the claim yet, and cannot start once the
 * claim is being deleted.
 */
export function usesClaim(pod: JsonObject, claim: JsonObject): boolean {
  if (textAt(pod, 'spec.nodeName') === '') return false;
  const isOwner = isMadeFor(claim, pod) && !isShutDown(pod);
  return objectsAt(pod, 'spec.volumes').some((volume) => {
    const isOwn = isOwner && valueAt(volume, 'ephemeral') !== undefined;
    const name = isOwn ? ephemeralClaimName(pod, volume) : claimNameOf(volume);
    return name === nameOf(claim);
  });
}

/** The names of all claims that a pod may use. */
export function volumeClaimNamesOf(pod: JsonObject): readonly string[] {
  const names = objectsAt(pod, 'spec.volumes').map((volume) =>
    valueAt(volume, 'ephemeral') === undefined
      ? claimNameOf(volume)
      : ephemeralClaimName(pod, volume),
  );
  return names.filter((name) => name !== '');
}

export function hasEphemeralVolume(pod: JsonObject): boolean {
  return objectsAt(pod, 'spec.volumes').some((volume) => isGiven(volume['ephemeral']));
}

export function isBound(volume: JsonObject): boolean {
  return textAt(volume, 'status.phase') === 'Bound';
}

/** The current and the target class of a claim or a volume. */
export function classNamesOf(object: JsonObject): readonly string[] {
  return [
    textAt(object, 'spec.volumeAttributesClassName'),
    textAt(object, 'status.currentVolumeAttributesClassName'),
    textAt(object, 'status.modifyVolumeStatus.targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
}

function claimNameOf(volume: JsonObject): string {
  return textAt(volume, 'persistentVolumeClaim.claimName');
}

/** The name of the claim of an ephemeral volume. */
export function ephemeralClaimName(pod: JsonObject, volume: JsonObject): string {
  return `${nameOf(pod)}-${readText(volume['name'])}`;
}

/** Is the pod the controller of the claim, so that its ephemeral volume may use it? */
export function isMadeFor(claim: JsonObject, pod: JsonObject): boolean {
  const uid = textOf(metadataOf(pod)['uid']);
  return objectsAt(claim, 'metadata.ownerReferences').some(
    (owner) => owner['controller'] === true && owner['uid'] === uid,
  );
}

function isShutDown(pod: JsonObject): boolean {
  return isLeaving(pod) && metadataOf(pod)['deletionGracePeriodSeconds'] === 0;
}
