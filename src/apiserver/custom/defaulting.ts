/**
 * Fills in the defaults of a custom resource's schema, from the top down: an object that a default adds gets
 * the defaults of its own fields, too. Defaulting is idempotent.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';
import { schemaOfField, type Schema } from '../schema/schema.ts';
import { changeFields, withEntries } from '../schema/shared-change.ts';

export function fillDefaults(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return mapShared(items, (item) => fillDefaults(orDefault(item, schema.items), schema.items));
  }
  return isJsonObject(value) ? fillObject(value, schema) : value;
}

function fillObject(object: JsonObject, schema: Schema): JsonObject {
  const missing = [...schema.properties].flatMap(([name, { default: fallback }]) =>
    fallback === undefined || Object.hasOwn(object, name) ? [] : [[name, fallback] as const],
  );
  return changeFields(withEntries(object, missing), (name, value) => {
    const own = schemaOfField(schema, name);
    return fillDefaults(orDefault(value, own), own);
  });
}

/** Null counts as absent where it is not allowed. */
function orDefault(value: Json, schema: Schema | undefined): Json {
  if (value !== null || !schema || schema.isNullable) return value;
  return schema.default ?? null;
}
