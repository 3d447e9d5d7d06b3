/**
 * Reads and builds controller references: the one owner reference (`controller: true`) by which a controller
 * recognizes its own objects.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readObjects } from '../../../../api/validation/json-reading.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { uidOf } from '../../garbage/owner-reference.ts';

export interface ControllerRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Null: no controller manages the object. */
export function controllerRefOf(object: JsonObject): ControllerRef | null {
  const { ownerReferences } = metadataOf(object);
  if (ownerReferences === undefined) return null;
  const found = readObjects(ownerReferences).find(({ controller }) => controller === true);
  if (!found) return null;
  return {
    apiVersion: textOf(found['apiVersion']),
    kind: textOf(found['kind']),
    name: textOf(found['name']),
    uid: textOf(found['uid']),
  };
}

function apiVersionOf({ group, version }: KindDefinition): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Whether the referenced owner is of this kind. As in Kubernetes, the version is ignored. */
export function isOfKind({ apiVersion, kind }: ControllerRef, definition: KindDefinition): boolean {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  return kind === definition.kind && group === definition.group;
}

export function newControllerRef(definition: KindDefinition, owner: JsonObject): JsonObject {
  return {
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    name: nameOf(owner),
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function withControllerRef(object: JsonObject, reference: JsonObject): JsonObject {
  const others = readObjects(metadataOf(object)['ownerReferences']);
  const rest = others.filter(({ uid }) => uid !== reference['uid']);
  return withMetadata(object, { ownerReferences: [...rest, reference] });
}
