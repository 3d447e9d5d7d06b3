/**
 * Reading and writing keys from untrusted input.
 *
 * Patches and objects come from the wire, where `__proto__` and `constructor` are keys like any
 * other. Reading sees own properties only, and writing always makes one.
 */
import type { Json, JsonObject } from '../../lib/json.ts';

export type MutableJsonObject = Record<string, Json>;

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The object's own value. Undefined: it has none, whatever its prototype has. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Assigning to `__proto__` would set the prototype and lose the key, so that one is defined. */
export function put(object: MutableJsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}

export function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}
