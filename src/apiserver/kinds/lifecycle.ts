/** What the server itself does to new objects, for kinds that have generations or a status. */
import { jsonEqual } from '../../api/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf, withMetadata } from '../metadata.ts';
import { changeStructAt } from './field-path.ts';
import { withFieldOf, withoutField } from './validation/json-changes.ts';

/** A user may not say how things are, only how they should be. */
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

/** What was asked for stays as it was. */
export function keepSpec(object: JsonObject, old: JsonObject): JsonObject {
  return withFieldOf(object, 'spec', old);
}

/** Annotations carry what a Deployment's controller must see, so they count like its spec. */
export function differsInSpecOrAnnotations(object: JsonObject, old: JsonObject): boolean {
  const [now, before] = [metadataOf(object)['annotations'], metadataOf(old)['annotations']];
  const isSameSpec = jsonEqual(object['spec'] ?? null, old['spec'] ?? null);
  return !isSameSpec || !jsonEqual(now ?? null, before ?? null);
}

/** The status that a new object starts with. */
export function withStatus(object: JsonObject, status: JsonObject): JsonObject {
  return changeStructAt(withoutStatus(object), 'status', () => status);
}
