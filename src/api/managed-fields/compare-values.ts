/**
 * Computes which fields a change adds, modifies and removes. Subtrees that are the same object in memory on
 * both sides are skipped, so comparing two versions of an object costs as much as their difference.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import { EMPTY_SET, FieldSetDraft, recursiveDifference, type FieldSet } from './field-set.ts';
import {
  formOf,
  typeOfField,
  UNTYPED,
  type FieldType,
  type Form,
  type ListFieldType,
  type MapFieldType,
} from './field-type.ts';
import { nameItem } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export const SAME: Comparison = { removed: EMPTY_SET, modified: EMPTY_SET, added: EMPTY_SET };

export function compareValues(before: Json, after: Json, type: FieldType): Comparison {
  if (before === after) return SAME;
  const walk = new CompareWalk();
  walk.compare(before, after, type);
  return walk.result();
}

/** The comparison without `fields` and everything below them, because this kind of write resets them. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    removed: recursiveDifference(comparison.removed, fields),
    modified: recursiveDifference(comparison.modified, fields),
    added: recursiveDifference(comparison.added, fields),
  };
}

class CompareWalk {
  readonly #removed = new FieldSetDraft();
  readonly #modified = new FieldSetDraft();
  readonly #added = new FieldSetDraft();
  readonly #path: PathElement[] = [];

  result(): Comparison {
    return {
      removed: this.#removed.set(),
      modified: this.#modified.set(),
      added: this.#added.set(),
    };
  }

  compare(before: Json | undefined, after: Json | undefined, type: FieldType): void {
    if (before === after) return;
    const old = formOf(type, before);
    const now = formOf(type, after);
    let isLeaf: boolean;
    if (after === undefined) isLeaf = this.#as(old, before, after, type);
    else if (before === undefined || old === now) isLeaf = this.#as(now, before, after, type);
    else {
      this.#as(old, before, after, type);
      isLeaf = this.#as(now, before, after, type);
    }
    if (isLeaf) return;
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
  }

  /** True if the two were compared as one value. */
  #as(
    form: Form | null,
    before: Json | undefined,
    after: Json | undefined,
    type: FieldType,
  ): boolean {
    if (form === 'map' && type.map) {
      const [old, now] = [mapOf(before), mapOf(after)];
      if (type.map.isAtomic || (isBare(old) && isBare(now))) return this.#leaf(before, after);
      this.#maps(old ?? NOTHING, now ?? NOTHING, type.map);
      return false;
    }
    if (form === 'list' && type.list) {
      const [old, now] = [listOf(before), listOf(after)];
      if (type.list.isAtomic || old.length + now.length === 0) return this.#leaf(before, after);
      this.#lists(old, now, type.list);
      return false;
    }
    return this.#leaf(before, after);
  }

  #leaf(before: Json | undefined, after: Json | undefined): true {
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
    else if (!jsonEqual(before, after)) this.#modified.insert(this.#path);
    return true;
  }

  #maps(before: JsonObject, after: JsonObject, map: MapFieldType): void {
    for (const name of Object.keys(before)) {
      const now = Object.hasOwn(after, name) ? after[name] : undefined;
      this.#field(map, name, before[name], now);
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.#field(map, name, undefined, after[name]);
    }
  }

  #field(map: MapFieldType, name: string, before: Json | undefined, after: Json | undefined): void {
    if (before === after) return;
    this.#path.push(fieldElement(name));
    this.compare(before, after, typeOfField(map, name) ?? UNTYPED);
    this.#path.pop();
  }

  #lists(before: readonly Json[], after: readonly Json[], list: ListFieldType): void {
    const old = itemsByName(list, before);
    const now = itemsByName(list, after);
    for (const [element, items] of old) this.#items(list, element, items, now.get(element) ?? []);
    for (const [element, items] of now) {
      if (!old.has(element)) this.#items(list, element, [], items);
    }
  }

  /** Items with the same identity are compared together, as one value. */
  #items(
    list: ListFieldType,
    element: PathElement,
    before: readonly Json[],
    after: readonly Json[],
  ): void {
    this.#path.push(element);
    if (before.length <= 1 && after.length <= 1) {
      this.compare(before[0], after[0], list.element);
    } else if (before.length >= 2 && after.length >= 2) {
      if (!jsonEqual(before, after)) this.#modified.insert(this.#path);
    } else if (before.length >= 2) {
      if (after.length > 0) this.compare(undefined, after[0], list.element);
      this.#removed.insert(this.#path);
    } else {
      if (before.length > 0) this.compare(before[0], undefined, list.element);
      this.#added.insert(this.#path);
    }
    this.#path.pop();
  }
}

const NOTHING: JsonObject = {};
const NO_ITEMS: readonly Json[] = [];

function mapOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : NO_ITEMS;
}

function isBare(map: JsonObject | undefined): boolean {
  return map === undefined || Object.keys(map).length === 0;
}

function itemsByName(
  list: ListFieldType,
  items: readonly Json[],
): ReadonlyMap<PathElement, readonly Json[]> {
  const named = new Map<PathElement, Json[]>();
  for (const item of items) {
    const name = nameItem(list, item);
    if (!('element' in name)) continue;
    const known = named.get(name.element);
    if (known) known.push(item);
    else named.set(name.element, [item]);
  }
  return named;
}
