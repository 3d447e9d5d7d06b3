/** Prepares new objects of kinds with a generation or a status, as the server does before validation. */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf, withMetadata } from '../objects/metadata.ts';
import { changeStructAt } from '../objects/field-path.ts';
import { withFieldOf, withoutField } from '../../api/validation/json-changes.ts';

/** Clients cannot set the status of a new object. */
export function withoutStatus(object: JsonObject): JsonObject {
  return withoutField(object, 'status');
}

export function startGenerations(object: JsonObject): JsonObject {
  return withMetadata(object, { generation: 1 });
}

/** For the usual kind with a spec and a status. */
export function startWithoutStatus(object: JsonObject): JsonObject {
  return startGenerations(withoutStatus(object));
}

/** Keeps the spec of the old object. */
export function keepSpec(object: JsonObject, old: JsonObject): JsonObject {
  return withFieldOf(object, 'spec', old);
}

/** The Deployment controller reads annotations, so a change of them raises the generation, too. */
export function differsInSpecOrAnnotations(object: JsonObject, old: JsonObject): boolean {
  const [now, before] = [metadataOf(object)['annotations'], metadataOf(old)['annotations']];
  const isSameSpec = jsonEqual(object['spec'] ?? null, old['spec'] ?? null);
  return !isSameSpec || !jsonEqual(now ?? null, before ?? null);
}

/** Sets the status with which a new object starts. */
export function withStatus(object: JsonObject, status: JsonObject): JsonObject {
  return changeStructAt(withoutStatus(object), 'status', () => status);
}
