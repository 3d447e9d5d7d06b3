/**
 * Reads and changes nested fields by a path such as `spec.template.spec`. Reading never fails, and a change
 * copies only the objects on the path.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { changeObject, withField } from '../../api/validation/json-changes.ts';
import {
  readNumber,
  readObjects,
  readStruct,
  readText,
  type Value,
} from '../../api/validation/json-reading.ts';

export function valueAt(object: JsonObject, path: string): Value {
  let value: Value = object;
  for (const name of namesIn(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Cache: paths are literals in the code, so there are few, and they are used for every object. */
const split = new Map<string, readonly string[]>();

function namesIn(path: string): readonly string[] {
  const known = split.get(path);
  if (known) return known;
  const names = path.split('.');
  split.set(path, names);
  return names;
}

export function textAt(object: JsonObject, path: string): string {
  return readText(valueAt(object, path));
}

export function numberAt(object: JsonObject, path: string): number {
  return readNumber(valueAt(object, path));
}

export function structAt(object: JsonObject, path: string): JsonObject {
  return readStruct(valueAt(object, path));
}

export function objectsAt(object: JsonObject, path: string): readonly JsonObject[] {
  return readObjects(valueAt(object, path));
}

/** For a struct that Go holds by value: an absent one counts as empty. */
export function changeStructAt(
  object: JsonObject,
  path: string,
  change: (struct: JsonObject) => JsonObject,
): JsonObject {
  const [name = '', ...rest] = path.split('.');
  const struct = readStruct(object[name]);
  const changed =
    rest.length === 0 ? change(struct) : changeStructAt(struct, rest.join('.'), change);
  return withField(object, name, changed);
}

/** For an object that Go holds by pointer: an absent one stays absent. */
export function changeGivenAt(
  object: JsonObject,
  path: string,
  change: (given: JsonObject) => JsonObject,
): JsonObject {
  const [name = '', ...rest] = path.split('.');
  return changeObject(object, name, (given) =>
    rest.length === 0 ? change(given) : changeGivenAt(given, rest.join('.'), change),
  );
}
