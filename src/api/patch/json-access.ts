/**
 * Reads and writes object keys that come from untrusted input.
 *
 * Patches and objects come from the wire, where `__proto__` and `constructor` are keys like any other.
 * Reading sees own properties only, and writing always creates an own property.
 */
import type { Json, JsonObject } from '../../lib/json.ts';

export type MutableJsonObject = Record<string, Json>;

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value of an own property. Undefined: there is none, even if the prototype has one. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Sets an own property. Plain assignment to `__proto__` would set the prototype instead, so that key is
 * defined.
 */
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
