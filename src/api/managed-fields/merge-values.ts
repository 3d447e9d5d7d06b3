/**
 * Merges an applied configuration into the live object: keeps all live fields, and takes the applied value
 * where both have one. In lists, items that only the live object has keep their live order; items of both
 * take the applied order.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
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
import type { PathElement } from './path-element.ts';

export function mergeValues(live: Json, applied: Json, type: FieldType): Json {
  return merge(live, applied, type) ?? null;
}

function merge(
  live: Json | undefined,
  applied: Json | undefined,
  type: FieldType,
): Json | undefined {
  const form = applied === undefined ? formOf(type, live) : formOf(type, applied);
  return mergeAs(form, live, applied, type);
}

function mergeAs(
  form: Form | null,
  live: Json | undefined,
  applied: Json | undefined,
  { map, list }: FieldType,
): Json | undefined {
  if (form === 'map' && map && !map.isAtomic) {
    const old = isJsonObject(live) ? live : {};
    const now = isJsonObject(applied) ? applied : {};
    if (Object.keys(old).length + Object.keys(now).length > 0) return mergeMaps(old, now, map);
  }
  if (form === 'list' && list && !list.isAtomic) {
    const old: readonly Json[] = Array.isArray(live) ? live : [];
    const now: readonly Json[] = Array.isArray(applied) ? applied : [];
    if (old.length + now.length > 0) return mergeLists(old, now, list);
  }
  return applied === undefined ? live : applied;
}

function mergeMaps(live: JsonObject, applied: JsonObject, map: MapFieldType): Json | undefined {
  const merged: Record<string, Json> = {};
  let isChanged = false;
  for (const name of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    const given = Object.hasOwn(applied, name) ? applied[name] : undefined;
    const value = merge(before, given, typeOfField(map, name) ?? UNTYPED);
    if (value !== before) isChanged = true;
    if (value !== undefined) merged[name] = value;
  }
  if (!isChanged) return live;
  return Object.keys(merged).length > 0 ? merged : undefined;
}

interface Named {
  readonly elements: readonly PathElement[];
  /** Null: more than one item has this identity. */
  readonly byElement: ReadonlyMap<PathElement, Json>;
}

function mergeLists(
  live: readonly Json[],
  applied: readonly Json[],
  list: ListFieldType,
): Json | undefined {
  const left = nameAll(live, list);
  const right = nameAll(applied, list);
  const shared = right.elements.filter((element) => left.byElement.has(element));
  const merged = new Set<PathElement>();
  const out: Json[] = [];
  const take = (element: PathElement, before: Json | undefined, given: Json | undefined): void => {
    const value = merge(before, given, list.element);
    if (value !== undefined) out.push(value);
    if (given !== undefined) merged.add(element);
  };
  let [l, r] = [0, 0];
  while (l < left.elements.length || r < right.elements.length) {
    const old = left.elements[l];
    const now = right.elements[r];
    if (old !== undefined && now !== undefined) {
      if (old === now) {
        take(old, left.byElement.get(old), right.byElement.get(old));
        l++;
        r++;
        shared.shift();
        continue;
      }
      // An item of both that is not the next one to come.
      if (right.byElement.has(old) && shared.length > 0 && shared[0] !== old) {
        l++;
        continue;
      }
    }
    if (old !== undefined) {
      if (!right.byElement.has(old)) {
        take(old, live[l], undefined);
        l++;
        continue;
      }
      if (merged.has(old)) l++;
    }
    if (now !== undefined) {
      take(now, left.byElement.get(now), right.byElement.get(now));
      r++;
      if (shared[0] === now) shared.shift();
    }
  }
  return out.length > 0 ? out : undefined;
}

function nameAll(items: readonly Json[], list: ListFieldType): Named {
  const elements: PathElement[] = [];
  const byElement = new Map<PathElement, Json>();
  for (const item of items) {
    const name = nameItem(list, item);
    if (!('element' in name)) continue;
    elements.push(name.element);
    byElement.set(name.element, byElement.has(name.element) ? null : item);
  }
  return { elements, byElement };
}
