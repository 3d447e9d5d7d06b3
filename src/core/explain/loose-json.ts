/**
 * Reads fields of API objects that may be malformed: a field that is missing or has another type is read as
 * the empty value. An explanation of a malformed object is better than none.
 */
import { readNumber } from '../../api/validation/json-reading.ts';
import { parseTime } from '../../api/values/time.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

export function valueAt(from: Json | undefined, ...path: readonly string[]): Json | undefined {
  let value = from;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function wordAt(from: Json | undefined, ...path: readonly string[]): string {
  const value = valueAt(from, ...path);
  return typeof value === 'string' ? value : '';
}

export function countAt(from: Json | undefined, ...path: readonly string[]): number {
  const value = readNumber(valueAt(from, ...path));
  return Number.isFinite(value) ? value : 0;
}

export function objectAt(from: Json | undefined, ...path: readonly string[]): JsonObject | null {
  const value = valueAt(from, ...path);
  return isJsonObject(value) ? value : null;
}

export function objectsAt(
  from: Json | undefined,
  ...path: readonly string[]
): readonly JsonObject[] {
  const value = valueAt(from, ...path);
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  return items.filter(isJsonObject);
}

export function wordsAt(from: Json | undefined, ...path: readonly string[]): readonly string[] {
  const value = valueAt(from, ...path);
  if (!Array.isArray(value)) return [];
  const items: readonly Json[] = value;
  return items.filter((item) => typeof item === 'string');
}

/** Milliseconds since the epoch. Null: there is no time. */
export function msAt(from: Json | undefined, ...path: readonly string[]): number | null {
  const value = wordAt(from, ...path);
  if (value === '') return null;
  try {
    const { ms } = parseTime(value);
    return isTimeOfDay(ms) ? ms : null;
  } catch {
    return null;
  }
}

/** The last moment of the year 9999, which RFC 3339 can write. */
const MS_MAX = 253_402_300_799_999;

function isTimeOfDay(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0 && ms <= MS_MAX;
}

/** RFC 3339 with milliseconds. Null: there is no time, or it is out of range. */
export function isoTime(ms: number | null): string | null {
  return ms === null || !isTimeOfDay(ms) ? null : new Date(ms).toISOString();
}
