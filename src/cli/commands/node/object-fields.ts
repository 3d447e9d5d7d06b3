/** Reads fields of answers whose shape is not checked. */
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Empty: there is none. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}

/** Null: there is none. */
export function numberAt(object: JsonObject, field: string): number | null {
  const value = object[field];
  return typeof value === 'number' ? value : null;
}

/** For a table of the client's own. */
export function tableOf(
  columns: readonly string[],
  rows: readonly (readonly Json[])[],
): JsonObject {
  return {
    columnDefinitions: columns.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells })),
  };
}
