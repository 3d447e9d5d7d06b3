/**
 * Drops the fields that the schema does not have, and reports their paths.
 *
 * Decoding into a struct does the same for a built-in kind: unknown fields never get into the store. Below
 * `x-kubernetes-preserve-unknown-fields` unknown fields stay, but known ones are still pruned inside.
 * `apiVersion`, `kind` and `metadata` of a resource are always known.
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

/** A list that preserves unknown fields does so for its items, whatever their schema says. */
function itemsOf(schema: Schema | undefined): Schema | undefined {
  if (!schema?.items || !schema.preservesUnknown) return schema?.items;
  return { ...schema.items, preservesUnknown: true };
}

function hasAdditional(schema: Schema | undefined): boolean {
  return schema?.additional !== undefined;
}

/** Null where it is not allowed, and where no default will replace it, counts as absent. */
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
