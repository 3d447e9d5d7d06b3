/**
 * Updates exactly the version of an object on which a decision was based: if the object has changed since,
 * the update fails with a conflict, the work queue retries, and the controller decides again.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { conflict, MODIFIED } from '../../../objects/status.ts';
import type { Target } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';

export function targetTo(definition: KindDefinition, object: JsonObject): Target {
  const namespace = textOf(metadataOf(object)['namespace']);
  return { definition, namespace, name: nameOf(object) };
}

export async function updateExactly(
  { registry }: ServerParts,
  target: Target,
  seen: JsonObject,
  change: (seen: JsonObject) => JsonObject,
  subresource: string | null = null,
): Promise<JsonObject> {
  const { resourceVersion, uid } = metadataOf(seen);
  return registry.update({
    ...target,
    subresource,
    change: (latest) => {
      if (metadataOf(latest)['uid'] !== uid) {
        throw conflict(target.definition, target.name, MODIFIED);
      }
      return withMetadata(change(seen), { resourceVersion });
    },
  });
}

/**
 * Writes the status if it differs. Absent, zero and empty fields are equal, except for zeros of the fields in
 * `zeros`. Returns the newest object.
 */
export async function writeStatus(
  parts: ServerParts,
  definition: KindDefinition,
  seen: JsonObject,
  status: Readonly<Record<string, Json | undefined>>,
  zeros: ReadonlySet<string> = COUNTED,
): Promise<JsonObject> {
  const wanted = compact(status, zeros);
  if (jsonEqual(wanted, compact(structAt(seen, 'status'), zeros))) return seen;
  const change = (object: JsonObject): JsonObject => ({ ...object, status: wanted });
  return updateExactly(parts, targetTo(definition, seen), seen, change, 'status');
}

/** Omits absent, zero and empty fields. */
function compact(
  status: Readonly<Record<string, Json | undefined>>,
  zeros: ReadonlySet<string>,
): JsonObject {
  const given: Record<string, Json> = {};
  for (const [name, value] of Object.entries(status)) {
    const isEmpty =
      value === undefined ||
      value === null ||
      value === '' ||
      (value === 0 && !zeros.has(name)) ||
      (Array.isArray(value) && value.length === 0);
    if (!isEmpty) given[name] = value;
  }
  return given;
}

/** Fields that are pointers in Go, so that a zero is printed. */
const COUNTED: ReadonlySet<string> = new Set(['terminatingReplicas', 'terminating', 'ready']);
