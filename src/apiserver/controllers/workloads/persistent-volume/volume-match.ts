/**
 * Decides which volume a claim gets: one that is reserved for it, or else the smallest that fits.
 *
 * Volumes with the fewest access modes are tried first, so that a claim that one node writes to does not take
 * a volume that many nodes could share. Volumes of a class that waits for the first pod are the scheduler's
 * to choose: for such claims only a reserved volume counts.
 */
import { matchesLabels } from '../../../../api/values/label-selector.ts';
import { compareQuantities, quantityValue } from '../../../../api/values/quantity.ts';
import { readTexts } from '../../../../api/validation/json-reading.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { readTermSelector } from '../../scheduler/affinity-term.ts';
import {
  classOf,
  couldHold,
  isReservedFor,
  offersModes,
  requestedStorage,
  sizeOfVolume,
  volumeModeOf,
} from '../../scheduler/storage/claim-facts.ts';

/** Undefined: there is none. `waitsForPod`: the scheduler chooses among volumes that are not reserved. */
export function bestVolumeFor(
  claim: JsonObject,
  volumes: readonly JsonObject[],
  waitsForPod: boolean,
): JsonObject | undefined {
  const requested = requestedStorage(claim);
  const fitting = volumes.filter(
    (volume) => offersModes(volume, claim) && couldHold(volume, claim, requested),
  );
  for (const group of byModeCount(fitting)) {
    const reserved = group.find((volume) => isReservedFor(volume, claim));
    const best = reserved ?? (waitsForPod ? undefined : smallestFree(group, claim));
    if (best) return best;
  }
  return undefined;
}

/** Why a volume that the claim asks for by name does not fit; null: it does. */
export function mismatchOf(volume: JsonObject, claim: JsonObject): string | null {
  if (isBeingDeleted(volume)) {
    return `the volume is marked for deletion ${JSON.stringify(nameOf(volume))}`;
  }
  if (quantityValue(sizeOfVolume(volume)) < quantityValue(requestedStorage(claim))) {
    return 'requested PV is too small';
  }
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  const attributes = 'spec.volumeAttributesClassName';
  if (textAt(volume, attributes) !== textAt(claim, attributes)) {
    return 'volumeAttributesClassName does not match';
  }
  if (volumeModeOf(volume) !== volumeModeOf(claim)) return 'incompatible volumeMode';
  return offersModes(volume, claim) ? null : 'incompatible accessMode';
}

function byModeCount(volumes: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const groups = new Map<number, JsonObject[]>();
  for (const volume of volumes) {
    const { size } = new Set(readTexts(valueAt(volume, 'spec.accessModes')));
    groups.set(size, [...(groups.get(size) ?? []), volume]);
  }
  return [...groups].toSorted(([a], [b]) => a - b).map(([, group]) => group);
}

function smallestFree(volumes: readonly JsonObject[], claim: JsonObject): JsonObject | undefined {
  const given = valueAt(claim, 'spec.selector');
  const selector = isJsonObject(given) ? readTermSelector(given) : null;
  let smallest: JsonObject | undefined;
  for (const volume of volumes) {
    if (textAt(volume, 'status.phase') !== 'Available') continue;
    if (selector !== null && !matchesLabels(selector, labelsOf(volume))) continue;
    if (classOf(volume) !== classOf(claim)) continue;
    const isSmaller =
      !smallest || compareQuantities(sizeOfVolume(volume), sizeOfVolume(smallest)) < 0;
    if (isSmaller) smallest = volume;
  }
  return smallest;
}
