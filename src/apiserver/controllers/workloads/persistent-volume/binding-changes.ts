/**
 * The changes that bind a claim and a volume to each other, and those that undo a binding. Each returns the
 * very object that it was given if nothing is to be changed.
 *
 * The annotation bound-by-controller on the claim or the volume says that the controller made the choice. A
 * volume or claim that a user has bound in advance stays reserved when the binding is undone.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { isGiven } from '../../../../api/validation/json-reading.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import {
  annotationOf,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  isReservedFor,
} from '../../scheduler/storage/claim-facts.ts';

const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';

/** A reference to the claim, as a volume has it. */
export function claimReference(claim: JsonObject): JsonObject {
  const { namespace, name, uid, resourceVersion } = metadataOf(claim);
  return {
    kind: 'PersistentVolumeClaim',
    namespace: textOf(namespace),
    name: textOf(name),
    uid: textOf(uid),
    apiVersion: 'v1',
    resourceVersion: textOf(resourceVersion),
  };
}

export function withClaim(volume: JsonObject, claim: JsonObject): JsonObject {
  const wasReserved = isReservedFor(volume, claim);
  if (wasReserved && textAt(volume, 'spec.claimRef.uid') === uidOf(claim)) return volume;
  const spec = { ...structAt(volume, 'spec'), claimRef: claimReference(claim) };
  const bound = { ...volume, spec };
  return wasReserved ? bound : withAnnotation(bound, BOUND_BY_CONTROLLER, 'yes');
}

export function withVolume(claim: JsonObject, volume: JsonObject): JsonObject {
  const volumeName = nameOf(volume);
  const isNamed = textAt(claim, 'spec.volumeName') === volumeName;
  const named = isNamed
    ? claim
    : withAnnotation(
        { ...claim, spec: { ...structAt(claim, 'spec'), volumeName } },
        BOUND_BY_CONTROLLER,
        'yes',
      );
  return withAnnotation(named, BIND_COMPLETED, 'yes');
}

/** Free again, but still reserved for the claim if a user has bound it in advance. */
export function withoutClaim(volume: JsonObject): JsonObject {
  const { claimRef, ...spec } = structAt(volume, 'spec');
  if (annotationOf(volume, BOUND_BY_CONTROLLER) !== undefined) {
    return withoutAnnotation({ ...volume, spec }, BOUND_BY_CONTROLLER);
  }
  const { uid: _, ...reference } = structAt({ claimRef: claimRef ?? {} }, 'claimRef');
  return { ...volume, spec: { ...spec, claimRef: reference } };
}

/** `volume`: the one that the claim is bound to; null: it has none. */
export function claimStatus(
  claim: JsonObject,
  phase: 'Pending' | 'Bound' | 'Lost',
  volume: JsonObject | null,
): JsonObject {
  const old = structAt(claim, 'status');
  const { accessModes: _, capacity, currentVolumeAttributesClassName: vac, ...rest } = old;
  if (!volume) return same(old, { ...rest, phase });
  const isBecoming = old['phase'] !== phase;
  // A claim that is bound already keeps its capacity: an expansion changes the volume first.
  const held = isBecoming ? capacityOf(volume) : capacity;
  const currentClass =
    isBecoming && old['phase'] === 'Pending'
      ? valueAt(volume, 'spec.volumeAttributesClassName')
      : vac;
  return same(old, {
    ...rest,
    phase,
    accessModes: valueAt(volume, 'spec.accessModes') ?? [],
    ...(isGiven(held) && { capacity: held }),
    ...(isGiven(currentClass) && { currentVolumeAttributesClassName: currentClass }),
  });
}

export function withAnnotation(object: JsonObject, name: string, value: string): JsonObject {
  if (annotationOf(object, name) !== undefined) return object;
  const annotations = structAt(object, 'metadata.annotations');
  return withMetadata(object, { annotations: { ...annotations, [name]: value } });
}

export function withoutAnnotation(object: JsonObject, name: string): JsonObject {
  if (annotationOf(object, name) === undefined) return object;
  const { [name]: _, ...left } = structAt(object, 'metadata.annotations');
  const annotations = Object.keys(left).length === 0 ? undefined : left;
  return withMetadata(object, { annotations });
}

function capacityOf(volume: JsonObject): Json {
  const before = annotationOf(volume, PRE_RESIZE_CAPACITY);
  return before === undefined ? structAt(volume, 'spec.capacity') : { storage: before };
}

function same(old: JsonObject, wanted: JsonObject): JsonObject {
  return jsonEqual(old, wanted) ? old : wanted;
}
