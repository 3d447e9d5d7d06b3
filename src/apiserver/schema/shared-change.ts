/** Changes JSON values while sharing all unchanged parts. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/**
 * Maps the fields of an object: each keeps its value, gets another, or is dropped (undefined). Returns the
 * very same object if nothing changed. Keys such as `__proto__` are ordinary keys.
 */
export function changeFields(
  object: JsonObject,
  change: (name: string, value: Json) => Json | undefined,
): JsonObject {
  const entries = Object.entries(object);
  const kept: [string, Json][] = [];
  let isChanged = false;
  for (const [name, value] of entries) {
    const next = change(name, value);
    if (next !== value) isChanged = true;
    if (next !== undefined) kept.push([name, next]);
  }
  return isChanged ? Object.fromEntries(kept) : object;
}

/** The same value with sorted keys, as Go prints it. */
export function withSortedKeys(value: Json): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.map(withSortedKeys);
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withSortedKeys(inner)]));
}

export function withEntries(
  object: JsonObject,
  entries: readonly (readonly [string, Json])[],
): JsonObject {
  if (entries.length === 0) return object;
  return Object.fromEntries([...Object.entries(object), ...entries]);
}
