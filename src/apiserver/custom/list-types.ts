/** Lists that are sets or maps: nothing stands in them twice. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../field-error.ts';
import { duplicate, invalid } from '../kinds/validation/complaint.ts';
import { entryBelow, fieldBelow } from './place.ts';
import type { Schema } from './schema.ts';
import { withSortedKeys } from './shared-change.ts';

export function findDuplicates(
  value: Json,
  schema: Schema | undefined,
  place = '',
): readonly FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) return findInList(value, schema, place);
  return isJsonObject(value) ? findInFields(value, schema, place) : [];
}

function findInFields(object: JsonObject, schema: Schema, place: string): readonly FieldError[] {
  const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
  return Object.entries(object).flatMap(([name, value]) => [
    ...findDuplicates(value, additional, entryBelow(place, name)),
    ...findDuplicates(value, schema.properties.get(name), fieldBelow(place, name)),
  ]);
}

function findInList(list: readonly Json[], schema: Schema, place: string): readonly FieldError[] {
  const { listType, items } = schema;
  return [
    ...(listType === 'set' ? repeatedIn(list, (item) => item, place) : []),
    ...(listType === 'map' ? findInMap(list, schema, place) : []),
    ...list.flatMap((item, index) => findDuplicates(item, items, entryBelow(place, index))),
  ];
}

function findInMap(
  list: readonly Json[],
  { listMapKeys }: Schema,
  place: string,
): readonly FieldError[] {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalid(entryBelow(place, stranger), list[stranger], detail)];
  }
  return repeatedIn(list, (item) => keysOf(item, listMapKeys), place);
}

function keysOf(item: Json, names: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {};
  const keys = names.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(keys);
}

/** What stands there for the second time; a third is not worth another word. */
function repeatedIn(
  list: readonly Json[],
  keyOf: (item: Json) => Json,
  place: string,
): readonly FieldError[] {
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const key = withSortedKeys(keyOf(item));
    const text = JSON.stringify(key);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [duplicate(entryBelow(place, index), key)] : [];
  });
}
