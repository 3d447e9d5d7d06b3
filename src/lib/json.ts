/**
 * JSON as it is on the wire. Objects are read, never written into: updates build new ones.
 *
 * A bigint is an integer of 64 bits that a number cannot hold exactly, beyond 2^53; every other number is a
 * number. So two equal integers have the same type, and `===` compares them. `JSON.stringify` throws for a
 * bigint rather than to round it: objects are parsed and printed by json-text/exact-json.ts.
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
