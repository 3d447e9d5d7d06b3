/** How the server prepares new objects of kinds with a generation or a status. */
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

/** The usual kind with a spec and a status. */
export function startWithoutStatus(object: JsonObject): JsonObject {
  return startGenerations(withoutStatus(object));
}

/** Keeps the spec of the old object. */
export function keepSpec(object: JsonObject, old: JsonObject): JsonObject {
  return withFieldOf(object, 'spec', old);
}

/** Annotations are inputs of the Deployment controller, so they count like its spec. */
export function differsInSpecOrAnnotations(object: JsonObject, old: JsonObject): boolean {
  const [now, before] = [metadataOf(object)['annotations'], metadataOf(old)['annotations']];
  const isSameSpec = jsonEqual(object['spec'] ?? null, old['spec'] ?? null);
  return !isSameSpec || !jsonEqual(now ?? null, before ?? null);
}

/** The status that a new object starts with. */
export function withStatus(object: JsonObject, status: JsonObject): JsonObject {
  return changeStructAt(withoutStatus(object), 'status', () => status);
}
