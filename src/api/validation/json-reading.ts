/**
 * Reads fields of unvalidated objects without ever failing.
 *
 * Validation rules run on objects that clients send. The decoder refuses wrong types before, but a rule that
 * relied on that would crash the server if the decoder had a gap. So a field of the wrong type reads as its
 * zero value, as an absent field does in Go.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/** A field as found: absent, null or a value. */
export type Value = Json | undefined;

const NOTHING: JsonObject = {};

export function readText(value: Value): string {
  return typeof value === 'string' ? value : '';
}

/** An integer beyond 2^53 reads as the largest safe integer. */
export function readNumber(value: Value): number {
  if (typeof value === 'bigint') {
    return value < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  return typeof value === 'number' ? value : 0;
}

export function readFlag(value: Value): boolean {
  return value === true;
}

export function readObject(value: Value): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** An absent struct reads as an empty one, for structs that Go does not hold by pointer. */
export function readStruct(value: Value): JsonObject {
  return readObject(value) ?? NOTHING;
}

export function readList(value: Value): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Items that are not objects count as empty ones, so that the others keep their index. */
export function readObjects(value: Value): readonly JsonObject[] {
  const list = readList(value);
  return list.every(isJsonObject) ? list : list.map(readStruct);
}

export function readTexts(value: Value): readonly string[] {
  return readList(value).map(readText);
}

/** The entries of a map in the order of their keys, so that the same error is always found first. */
export function readEntries(value: Value): readonly (readonly [key: string, value: Json])[] {
  return Object.entries(readStruct(value)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A map of texts, such as labels; lookups do not see the prototype. */
export function readTextMap(value: Value): ReadonlyMap<string, string> {
  return new Map(readEntries(value).map(([key, item]) => [key, readText(item)]));
}

/** Whether the field is set. In Go: the pointer is not nil. */
export function isGiven(value: Value): value is Json & {} {
  return value !== undefined && value !== null;
}
