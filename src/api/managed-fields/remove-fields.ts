/**
 * Removes fields and list items from a value. A map or list that becomes empty this way becomes null, as in
 * kube-apiserver.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { childOf, isEmptySet, type FieldSet } from './field-set.ts';
import {
  formOf,
  typeOfField,
  UNTYPED,
  type FieldType,
  type ListFieldType,
  type MapFieldType,
} from './field-type.ts';
import { nameItem } from './list-items.ts';
import { fieldElement } from './path-element.ts';

export function removeFields(value: Json, fields: FieldSet, type: FieldType): Json {
  switch (formOf(type, value)) {
    case 'map':
      if (!type.map || type.map.isAtomic || !isJsonObject(value)) return null;
      return removeFromMap(value, fields, type.map);
    case 'list':
      if (!type.list || type.list.isAtomic || !Array.isArray(value)) return null;
      return removeFromList(value, fields, type.list);
    case 'scalar':
      return value;
    case null:
      return null;
  }
}

function removeFromMap(value: JsonObject, fields: FieldSet, map: MapFieldType): Json {
  const rest: Record<string, Json> = {};
  let count = 0;
  for (const [name, item] of Object.entries(value)) {
    const element = fieldElement(name);
    if (fields.members.has(element)) continue;
    const below = childOf(fields, element);
    rest[name] = isEmptySet(below)
      ? item
      : removeFields(item, below, typeOfField(map, name) ?? UNTYPED);
    count++;
  }
  return count > 0 ? rest : null;
}

function removeFromList(items: readonly Json[], fields: FieldSet, list: ListFieldType): Json {
  const rest: Json[] = [];
  for (const item of items) {
    const name = nameItem(list, item);
    const element = 'element' in name ? name.element : '';
    if (fields.members.has(element)) continue;
    const below = childOf(fields, element);
    rest.push(isEmptySet(below) ? item : removeFields(item, below, list.element));
  }
  return rest.length > 0 ? rest : null;
}
