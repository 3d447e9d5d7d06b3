/**
 * Builds new versions of objects field by field, sharing unchanged parts.
 *
 * Defaults run on every read of an old store and on every write, and usually change nothing: then the very
 * same object is returned.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';
import { isGiven } from './json-reading.ts';

export function withField(object: JsonObject, name: string, value: Json): JsonObject {
  return object[name] === value ? object : { ...object, [name]: value };
}

export function withoutField(object: JsonObject, name: string): JsonObject {
  if (!Object.hasOwn(object, name)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** Copies a field, or its absence, from another object. */
export function withFieldOf(object: JsonObject, name: string, other: JsonObject): JsonObject {
  const value = other[name];
  return value === undefined ? withoutField(object, name) : withField(object, name, value);
}

/** Sets absent fields. For fields that Go holds by pointer: a zero counts as set. */
export function fillAbsent(object: JsonObject, fields: JsonObject): JsonObject {
  return fill(object, fields, (value) => !isGiven(value));
}

/** Sets absent and zero fields. For fields that Go holds by value: a zero counts as unset. */
export function fillEmpty(object: JsonObject, fields: JsonObject): JsonObject {
  return fill(object, fields, (value) => !isGiven(value) || value === '' || value === 0);
}

/** Changes the object in a field, if the field has one. */
export function changeObject(
  object: JsonObject,
  name: string,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? withField(object, name, change(value)) : object;
}

/** Changes every object of the list in a field, if the field has one. */
export function changeObjects(
  object: JsonObject,
  name: string,
  change: (item: JsonObject, index: number) => JsonObject,
): JsonObject {
  const value = object[name];
  if (!Array.isArray(value)) return object;
  const list: readonly Json[] = value;
  const changed = mapShared(list, (item, index) =>
    isJsonObject(item) ? change(item, index) : item,
  );
  return withField(object, name, changed);
}

function fill(
  object: JsonObject,
  fields: JsonObject,
  isMissing: (value: Json | undefined) => boolean,
): JsonObject {
  const missing = Object.entries(fields).filter(([name]) => isMissing(object[name]));
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
}
