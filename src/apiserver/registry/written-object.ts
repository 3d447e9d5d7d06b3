/**
 * Prepares an object that is written: sets its kind and namespace, converts it to its printed form, and
 * checks whether it can be removed.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { trackedUpdate, type FieldWrite } from '../objects/field-tracking.ts';
import {
  listOf,
  metadataForUpdate,
  metadataOf,
  textOf,
  withMetadata,
} from '../objects/metadata.ts';
import { printedForm } from '../objects/printed-form.ts';
import { badRequest } from '../objects/status.ts';
import { checkName, checkUid, checkVersion } from './preconditions.ts';
import type { UpdateRequest } from './write-requests.ts';

/**
 * As kube-apiserver prints it: with the fields that Go always prints, and without those that it never prints.
 */
export function printed(
  { type }: KindDefinition,
  object: JsonObject,
  old?: JsonObject,
): JsonObject {
  return type ? printedForm(object, type, old) : object;
}

/** Sets the apiVersion, kind and namespace of the path. */
export function place(definition: KindDefinition, body: JsonObject, namespace: string): JsonObject {
  const { group, version, kind, namespaced } = definition;
  const given = textOf(metadataOf(body)['namespace']);
  if (namespaced && given !== '' && given !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const { apiVersion: _version, kind: _kind, ...rest } = body;
  const placed = namespaced ? withMetadata(rest, { namespace }) : rest;
  return { kind, apiVersion, ...placed };
}

/** What an update asks for: the changed object with its defaults and its managers. Throws a StatusError. */
export function changedObject(
  request: UpdateRequest,
  old: JsonObject,
  write: FieldWrite,
): JsonObject {
  const { definition, namespace, name } = request;
  const changed = place(definition, request.change(old), namespace);
  const wanted = withDistinctOwners(changed, request.warn, !request.hasUidPrecondition);
  checkName(wanted, name);
  if (request.hasUidPrecondition) checkUid(request, wanted, old);
  checkVersion(request, wanted, old);
  const complete = definition.rules.applyDefaults?.(wanted, old) ?? wanted;
  // Before defaults, after which an empty list is gone.
  const managers = metadataOf(wanted)['managedFields'];
  const tracked = request.isTracked ? complete : trackedUpdate(write, complete, old, managers);
  return metadataForUpdate(tracked, old);
}

/** The object with each of its owners once; a second time is warned of. */
export function withDistinctOwners(
  object: JsonObject,
  warn: ((sentence: string) => void) | undefined,
  isPatch = false,
): JsonObject {
  const owners = listOf(metadataOf(object)['ownerReferences']);
  if (owners.length < 2) return object;
  const { owners: distinct, duplicates } = distinctOwners(owners);
  if (duplicates.length === 0) return object;
  warn?.(
    `.metadata.ownerReferences contains duplicate entries${isPatch ? ' after mutating admission happens' : ''}; ` +
      'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; ' +
      `please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
  return withMetadata(object, { ownerReferences: [...distinct] });
}

/**
 * The owner references without duplicates, and the UIDs of the duplicates. Entries are compared as a whole.
 */
function distinctOwners(owners: readonly Json[]): {
  readonly owners: readonly Json[];
  readonly duplicates: readonly string[];
} {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const distinct = owners.filter((owner) => {
    if (!isJsonObject(owner)) return true;
    const text = JSON.stringify(Object.entries(owner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const isNew = !seen.has(text);
    seen.add(text);
    if (!isNew) duplicates.push(textOf(owner['uid']));
    return isNew;
  });
  return { owners: distinct, duplicates };
}

/** Whether the object is being deleted and nothing holds it any more. */
export function isReleased({ rules }: KindDefinition, object: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = metadataOf(object);
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    listOf(finalizers).length === 0 &&
    !(rules.isHeld?.(object) ?? false)
  );
}
