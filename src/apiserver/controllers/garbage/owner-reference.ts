/**
 * Reads and changes the owner references of an object, and the finalizers `foregroundDeletion` and `orphan`.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readObjects } from '../../../api/validation/json-reading.ts';
import { listOf, metadataOf, textOf, withMetadata } from '../../objects/metadata.ts';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True: the owner, when deleted in the foreground, must wait for this object (blockOwnerDeletion). */
  readonly isBlocking: boolean;
}

const NONE: readonly OwnerReference[] = [];

export function ownersOf(object: JsonObject): readonly OwnerReference[] {
  const { ownerReferences } = metadataOf(object);
  if (ownerReferences === undefined) return NONE;
  return readObjects(ownerReferences).map((reference) => ({
    apiVersion: textOf(reference['apiVersion']),
    kind: textOf(reference['kind']),
    name: textOf(reference['name']),
    uid: textOf(reference['uid']),
    isBlocking: reference['blockOwnerDeletion'] === true,
  }));
}

export function uidOf(object: JsonObject): string {
  return textOf(metadataOf(object)['uid']);
}

export function isBeingDeleted(object: JsonObject): boolean {
  return metadataOf(object)['deletionTimestamp'] !== undefined;
}

export function hasFinalizer(object: JsonObject, finalizer: string): boolean {
  return listOf(metadataOf(object)['finalizers']).includes(finalizer);
}

/** Whether the object is being deleted in the foreground: it waits for its blocking dependents. */
export function isWaiting(object: JsonObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, FOREGROUND);
}

/** Whether the object is being deleted with orphaning: it waits until no dependent refers to it. */
export function isOrphaning(object: JsonObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, ORPHAN);
}

export function withoutOwners(object: JsonObject, uids: ReadonlySet<string>): JsonObject {
  const references = readObjects(metadataOf(object)['ownerReferences']);
  const kept = references.filter(({ uid }) => !uids.has(textOf(uid)));
  if (kept.length === references.length) return object;
  return withMetadata(object, { ownerReferences: kept.length > 0 ? kept : undefined });
}

/** The object with blockOwnerDeletion false in all references. */
export function withoutBlocking(object: JsonObject): JsonObject {
  const references = readObjects(metadataOf(object)['ownerReferences']);
  if (!references.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return object;
  const ownerReferences = references.map((reference) =>
    reference['blockOwnerDeletion'] === true
      ? { ...reference, blockOwnerDeletion: false }
      : reference,
  );
  return withMetadata(object, { ownerReferences });
}

export function withoutFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const finalizers = listOf(metadataOf(object)['finalizers']);
  if (!finalizers.includes(finalizer)) return object;
  const kept = finalizers.filter((one) => one !== finalizer);
  return withMetadata(object, { finalizers: kept.length > 0 ? kept : undefined });
}
