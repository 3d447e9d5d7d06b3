/** Applies a change to a schema and to all schemas in it: properties, items and values of maps. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

type Change = (schema: JsonObject) => JsonObject;

/** Changes a schema first, and then the schemas inside the result. */
export function mapSchema(schema: JsonObject, change: Change): JsonObject {
  const changed = change(schema);
  const { properties, items, additionalProperties } = changed;
  return {
    ...changed,
    ...(isJsonObject(properties) && { properties: mapProperties(properties, change) }),
    ...(isJsonObject(items) && { items: mapSchema(items, change) }),
    ...(isJsonObject(additionalProperties) && {
      additionalProperties: mapSchema(additionalProperties, change),
    }),
  };
}

function mapProperties(properties: JsonObject, change: Change): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]) => {
    return [name, isJsonObject(schema) ? mapSchema(schema, change) : schema] as const;
  });
  return Object.fromEntries(entries);
}
