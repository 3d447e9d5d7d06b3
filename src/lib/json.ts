/**
 * The type of JSON values as they are on the wire. Objects are never changed: updates create new ones.
 *
 * Integers beyond 2^53 that fit into 64 bits are bigints, because a number cannot hold them exactly; all
 * other numbers are of type number. So equal integers have the same type, and `===` compares them.
 * `JSON.stringify` throws for a bigint instead of rounding it: json-text/exact-json.ts parses and prints
 * objects.
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
