/** Computes the set of fields that a value mentions: every leaf and every list item. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { FieldSetDraft, type FieldPath, type FieldSet } from './field-set.ts';
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

export function fieldsOf(value: Json, type: FieldType): FieldSet {
  const draft = new FieldSetDraft();
  collect(value, type, [], draft);
  return draft.set();
}

function collect(value: Json, type: FieldType, path: FieldPath, into: FieldSetDraft): void {
  switch (formOf(type, value)) {
    case 'map':
      if (type.map?.isAtomic) into.insert(path);
      else if (type.map && isJsonObject(value)) collectMap(value, type.map, path, into);
      return;
    case 'list':
      if (type.list?.isAtomic) into.insert(path);
      else if (type.list && Array.isArray(value)) collectList(value, type.list, path, into);
      return;
    case 'scalar':
      into.insert(path);
      return;
    case null:
  }
}

function collectMap(
  value: JsonObject,
  map: MapFieldType,
  path: FieldPath,
  into: FieldSetDraft,
): void {
  for (const [name, item] of Object.entries(value)) {
    const at = [...path, fieldElement(name)];
    collect(item, typeOfField(map, name) ?? UNTYPED, at, into);
    const isEmpty = item === null || (isJsonObject(item) && Object.keys(item).length === 0);
    if (isEmpty || !map.field(name)) into.insert(at);
  }
}

function collectList(
  items: readonly Json[],
  list: ListFieldType,
  path: FieldPath,
  into: FieldSetDraft,
): void {
  const counts = new Map<string, number>();
  const named = items.map((item) => nameItem(list, item));
  for (const name of named) {
    if ('element' in name) counts.set(name.element, (counts.get(name.element) ?? 0) + 1);
  }
  for (const [index, name] of named.entries()) {
    if (!('element' in name)) continue;
    const at = [...path, name.element];
    // Items with the same identity count as one value.
    if (counts.get(name.element) === 1) collect(items[index] ?? null, list.element, at, into);
    into.insert(at);
  }
}
