/** Reads fields of JSON answers whose shape has not been validated. */
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** Empty: the field is missing or not an object. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}

/** Null: the field is missing or not a number. */
export function numberAt(object: JsonObject, field: string): number | null {
  const value = object[field];
  return typeof value === 'number' ? value : null;
}

/** Builds a Table object, as the server would send it, for TablePrinter. */
export function tableOf(
  columns: readonly string[],
  rows: readonly (readonly Json[])[],
): JsonObject {
  return {
    columnDefinitions: columns.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells })),
  };
}
