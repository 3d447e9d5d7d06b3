/** Computes the path element that identifies a list item: by its keys, or by its value in a set. */
import { isJsonObject, type Json } from '../../lib/json.ts';
import type { ListFieldType } from './field-type.ts';
import { keyElement, valueElement, type PathElement } from './path-element.ts';

export type NamedItem = { readonly element: PathElement } | { readonly problem: string };

export function nameItem(list: ListFieldType, item: Json): NamedItem {
  if (list.isAtomic) return { problem: 'invalid indexing of non-associative list' };
  return list.keys.length > 0 ? nameByKeys(list, item) : nameByValue(item);
}

function nameByKeys({ keys, element }: ListFieldType, item: Json): NamedItem {
  if (item === null) {
    return { problem: 'associative list with keys may not have a null element' };
  }
  if (!isJsonObject(item)) {
    return { problem: 'associative list with keys may not have non-map elements' };
  }
  const found: (readonly [string, Json])[] = [];
  for (const name of keys) {
    const value = Object.hasOwn(item, name) ? item[name] : element.map?.defaultOf?.(name);
    // An absent key and a present one identify different items.
    if (value !== undefined && (value !== null || Object.hasOwn(item, name)))
      found.push([name, value]);
  }
  if (found.length > 0) return { element: keyElement(found) };
  const quoted = keys.map((name) => JSON.stringify(name)).join(' ');
  return {
    problem:
      `associative list with keys has an element that omits all key fields [${quoted}] ` +
      "(and doesn't have default values for any key fields)",
  };
}

function nameByValue(item: Json): NamedItem {
  if (item === null) {
    return { problem: "associative list without keys has an element that's an explicit null" };
  }
  if (Array.isArray(item)) {
    return { problem: 'not supported: associative list with lists as elements' };
  }
  if (typeof item === 'object') {
    return { problem: "associative list without keys has an element that's a map type" };
  }
  return { element: valueElement(item) };
}
