/** Finds duplicates in lists of type set or map. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../../api/validation/field-error.ts';
import { duplicate, invalidField } from '../../api/validation/field-errors.ts';
import { entryBelow, fieldBelow } from './field-path.ts';
import type { Schema } from './schema.ts';
import { withSortedKeys } from './shared-change.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export function findDuplicates(
  value: Json,
  schema: Schema | undefined,
  fieldPath = '',
): readonly FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) return findInList(value, schema, fieldPath);
  return isJsonObject(value) ? findInFields(value, schema, fieldPath) : [];
}

function findInFields(
  object: JsonObject,
  schema: Schema,
  fieldPath: string,
): readonly FieldError[] {
  const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
  return Object.entries(object).flatMap(([name, value]) => [
    ...findDuplicates(value, additional, entryBelow(fieldPath, name)),
    ...findDuplicates(value, schema.properties.get(name), fieldBelow(fieldPath, name)),
  ]);
}

function findInList(
  list: readonly Json[],
  schema: Schema,
  fieldPath: string,
): readonly FieldError[] {
  const { listType, items } = schema;
  return [
    ...(listType === 'set' ? repeatedIn(list, (item) => item, fieldPath) : []),
    ...(listType === 'map' ? findInMap(list, schema, fieldPath) : []),
    ...list.flatMap((item, index) => findDuplicates(item, items, entryBelow(fieldPath, index))),
  ];
}

function findInMap(
  list: readonly Json[],
  { listMapKeys }: Schema,
  fieldPath: string,
): readonly FieldError[] {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalidField(entryBelow(fieldPath, stranger), list[stranger], detail)];
  }
  return repeatedIn(list, (item) => keysOf(item, listMapKeys), fieldPath);
}

function keysOf(item: Json, names: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  const keys = names.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(keys);
}

/** Items that occur for the second time. A third occurrence is not reported again. */
function repeatedIn(
  list: readonly Json[],
  keyOf: (item: Json) => Json,
  fieldPath: string,
): readonly FieldError[] {
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const key = withSortedKeys(keyOf(item));
    const text = printExactJson(key);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [duplicate(entryBelow(fieldPath, index), key)] : [];
  });
}
