/** Reads PersistentVolumeClaims and PersistentVolumes as kube-scheduler and the volume controllers do. */
import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import { readAmount } from '../../../../api/validation/quantities.ts';
import { compareQuantities, type Quantity } from '../../../../api/values/quantity.ts';
import { readText, readTexts } from '../../../../api/validation/json-reading.ts';
import { matchesLabels } from '../../../../api/values/label-selector.ts';
import { structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { readTermSelector } from '../affinity-term.ts';
import { readNodeSelector, type NodeIdentity } from '../node-affinity.ts';

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function annotationOf(object: JsonObject, name: string): string | undefined {
  const annotations = structAt(object, 'metadata.annotations');
  return Object.hasOwn(annotations, name) ? readText(annotations[name]) : undefined;
}

export function classOf(object: JsonObject): string {
  return annotationOf(object, CLASS_ANNOTATION) ?? textAt(object, 'spec.storageClassName');
}

/** Whether the volume controller has finished: claim and volume name each other. */
export function isFullyBound(claim: JsonObject): boolean {
  return (
    textAt(claim, 'spec.volumeName') !== '' && annotationOf(claim, BIND_COMPLETED) !== undefined
  );
}

export function claimKey(claim: JsonObject): string {
  return `${textOf(metadataOf(claim)['namespace'])}/${nameOf(claim)}`;
}

export function requestedStorage(claim: JsonObject): Quantity {
  return readAmount(valueAt(claim, 'spec.resources.requests.storage'));
}

/** Whether the volume is reserved for exactly this claim. */
export function isReservedFor(volume: JsonObject, claim: JsonObject): boolean {
  const reference = valueAt(volume, 'spec.claimRef');
  if (!isJsonObject(reference)) return false;
  const { name, namespace, uid } = metadataOf(claim);
  if (reference['name'] !== name || reference['namespace'] !== namespace) return false;
  return readText(reference['uid']) === '' || reference['uid'] === uid;
}

export function isVolumeReachable(volume: JsonObject, node: NodeIdentity): boolean {
  const required = valueAt(volume, 'spec.nodeAffinity.required');
  return !isJsonObject(required) || readNodeSelector(required)(node);
}

/**
 * The smallest free volume that satisfies the claim and is reachable from the node. A volume that is reserved
 * for the claim takes precedence. Undefined: there is none.
 */
export function findVolumeFor(
  claim: JsonObject,
  volumes: readonly JsonObject[],
  node: NodeIdentity,
  taken: ReadonlySet<string>,
): JsonObject | undefined {
  const requested = requestedStorage(claim);
  const given = valueAt(claim, 'spec.selector');
  const selector = isJsonObject(given) ? readTermSelector(given) : null;
  let smallest: JsonObject | undefined;
  for (const volume of volumes) {
    if (taken.has(nameOf(volume)) || !couldHold(volume, claim, requested)) continue;
    const isReachable = isVolumeReachable(volume, node);
    if (isReservedFor(volume, claim)) return isReachable ? volume : undefined;
    if (!isReachable || textAt(volume, 'status.phase') !== 'Available') continue;
    if (selector !== null && !matchesLabels(selector, labelsOf(volume))) continue;
    if (classOf(volume) !== classOf(claim) || !offersModes(volume, claim)) continue;
    if (!smallest || compareQuantities(sizeOfVolume(volume), sizeOfVolume(smallest)) < 0)
      smallest = volume;
  }
  return smallest;
}

/** Is it free or reserved for the claim, large enough, and of the right mode? */
export function couldHold(volume: JsonObject, claim: JsonObject, requested: Quantity): boolean {
  if (isJsonObject(valueAt(volume, 'spec.claimRef')) && !isReservedFor(volume, claim)) return false;
  if (compareQuantities(sizeOfVolume(volume), requested) < 0) return false;
  if (volumeModeOf(volume) !== volumeModeOf(claim)) return false;
  const attributes = 'spec.volumeAttributesClassName';
  if (textAt(volume, attributes) !== textAt(claim, attributes)) return false;
  return metadataOf(volume)['deletionTimestamp'] === undefined;
}

/** Of a claim or a volume. */
export function volumeModeOf(object: JsonObject): string {
  return textAt(object, 'spec.volumeMode') || 'Filesystem';
}

export function sizeOfVolume(volume: JsonObject): Quantity {
  return readAmount(valueAt(volume, 'spec.capacity.storage'));
}

export function offersModes(volume: JsonObject, claim: JsonObject): boolean {
  const offered = readTexts(valueAt(volume, 'spec.accessModes'));
  return readTexts(valueAt(claim, 'spec.accessModes')).every((mode) => offered.includes(mode));
}
