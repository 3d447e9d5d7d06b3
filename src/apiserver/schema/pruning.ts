/**
 * Prunes custom objects: drops the fields that the schema does not have, and reports their paths.
 *
 * For built-in kinds decoding does the same: unknown fields are never stored. Below
 * `x-kubernetes-preserve-unknown-fields` unknown fields are kept, but the content of known fields is still
 * pruned. `apiVersion`, `kind` and `metadata` of a resource are always known.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';
import { entryBelow, fieldBelow } from './field-path.ts';
import { isMetaField, schemaOfField, type Schema } from './schema.ts';
import { changeFields } from './shared-change.ts';

export interface Pruned {
  readonly object: JsonObject;
  /** Paths of dropped fields, sorted. */
  readonly unknown: readonly string[];
}

/** Prunes a whole resource. */
export function pruneResource(object: JsonObject, schema: Schema): Pruned {
  const unknown: string[] = [];
  const pruned = pruneObject(object, { ...schema, isEmbedded: true }, '', unknown);
  return { object: pruned, unknown: unknown.toSorted() };
}

/** Prunes any value, such as a default. */
export function pruneValue(value: Json, schema: Schema | undefined): Json {
  return prune(value, schema, '', []);
}

function prune(
  value: Json,
  schema: Schema | undefined,
  fieldPath: string,
  unknown: string[],
): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    if (schema?.preservesUnknown && !schema.items) return value;
    const own = itemsOf(schema);
    return mapShared(items, (item, index) =>
      prune(item, own, entryBelow(fieldPath, index), unknown),
    );
  }
  return isJsonObject(value) ? pruneObject(value, schema, fieldPath, unknown) : value;
}

function pruneObject(
  object: JsonObject,
  schema: Schema | undefined,
  fieldPath: string,
  unknown: string[],
): JsonObject {
  return changeFields(object, (name, value) => {
    if (schema?.isEmbedded && isMetaField(name)) return value;
    const at = fieldBelow(fieldPath, name);
    if (schema?.properties.has(name) || hasAdditional(schema)) {
      return prune(value, schemaOfField(schema, name), at, unknown);
    }
    if (schema?.preservesUnknown) return value;
    unknown.push(at);
    return undefined;
  });
}

/** A list that preserves unknown fields does so for its items, too, whatever their schema says. */
function itemsOf(schema: Schema | undefined): Schema | undefined {
  if (!schema?.items || !schema.preservesUnknown) return schema?.items;
  return { ...schema.items, preservesUnknown: true };
}

function hasAdditional(schema: Schema | undefined): boolean {
  return schema?.additional !== undefined;
}

/** A null counts as absent if it is not allowed and no default replaces it. */
export function dropNulls(value: Json, schema: Schema | undefined): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return mapShared(items, (item) => dropNulls(item, schema?.items));
  }
  if (!isJsonObject(value)) return value;
  return changeFields(value, (name, inner) => {
    const own = schemaOfField(schema, name);
    const isNothing =
      inner === null && own !== undefined && !own.isNullable && own.default === undefined;
    return isNothing ? undefined : dropNulls(inner, own);
  });
}
