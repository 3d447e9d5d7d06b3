/**
 * Reads fields of objects that came over the wire, and never fails.
 *
 * Rules are asked about whatever somebody sent. The decoder has refused wrong types before, but a
 * rule that trusts it would take the server down on the day the decoder does not. So a field of the
 * wrong type reads as its zero value, exactly like an absent one: that is also how Go holds it.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** A field as found: absent, null or something. */
export type Value = Json | undefined;

const NOTHING: JsonObject = {};

export function readText(value: Value): string {
  return typeof value === 'string' ? value : '';
}

export function readNumber(value: Value): number {
  return typeof value === 'number' ? value : 0;
}

export function readFlag(value: Value): boolean {
  return value === true;
}

export function readObject(value: Value): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** An absent struct and an empty one are the same where Go holds no pointer. */
export function readStruct(value: Value): JsonObject {
  return readObject(value) ?? NOTHING;
}

export function readList(value: Value): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** What is no object counts as an empty one, so that the others keep their index. */
export function readObjects(value: Value): readonly JsonObject[] {
  const list = readList(value);
  return list.every(isJsonObject) ? list : list.map(readStruct);
}

export function readTexts(value: Value): readonly string[] {
  return readList(value).map(readText);
}

/** The entries of a map in the order of their keys, so that the same fault is always found first. */
export function readEntries(value: Value): readonly (readonly [key: string, value: Json])[] {
  return Object.entries(readStruct(value)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A map of texts, such as labels; looked up without a prototype in the way. */
export function readTextMap(value: Value): ReadonlyMap<string, string> {
  return new Map(readEntries(value).map(([key, item]) => [key, readText(item)]));
}

/** Is there anything at all? This is what "the pointer is not nil" means in Go. */
export function isGiven(value: Value): value is Json & {} {
  return value !== undefined && value !== null;
}
