/**
 * Converts a part of a strategic merge patch to a plain value where the original has nothing to merge it
 * with.
 *
 * A field that the original lacks, or holds in another type, is taken from the patch, without its nulls
 * (there is nothing to delete) and without any object that has a `$patch`, even if that is the whole part.
 * Kubernetes does the same. Other directives stay in the part as unknown fields; Kubernetes' decoder drops
 * them with a warning, and so does the code that decodes the result here.
 *
 * Parts that need no cleaning are shared with the patch.
 */
import { type Json, type JsonObject } from '../../lib/json.ts';
import { descend } from './depth.ts';
import { DIRECTIVE } from './directive.ts';
import { isJsonList, own } from './json-access.ts';
import { ObjectDraft } from './object-draft.ts';

/** The value to store. Undefined: nothing is stored. */
export function takeWhole(value: Json): Json | undefined {
  return withoutDirected(withoutNulls(value, 0), 0);
}

/** A list of the patch whose field the original lacks, without the elements that are directives. */
export function takeElements(list: readonly Json[]): readonly Json[] {
  return mapElements(list, (item) => withoutDirected(item, 0));
}

/** Removes nulls that are values of fields. Nulls in lists stay. */
function withoutNulls(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  const deeper = descend(depth);
  if (isJsonList(value)) return mapElements(value, (item) => withoutNulls(item, deeper));
  return mapFields(value, (field) => (field === null ? undefined : withoutNulls(field, deeper)));
}

function withoutDirected(value: Json, depth: number): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  const deeper = descend(depth);
  if (isJsonList(value)) return mapElements(value, (item) => withoutDirected(item, deeper));
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  return mapFields(value, (field) => withoutDirected(field, deeper));
}

type Change = (value: Json) => Json | undefined;

function mapFields(object: JsonObject, change: Change): JsonObject {
  const draft = new ObjectDraft(object);
  for (const key of Object.keys(object)) draft.set(key, change(own(object, key) ?? null));
  return draft.finish();
}

function mapElements(list: readonly Json[], change: Change): readonly Json[] {
  const changed = list.map(change);
  if (changed.every((item, index) => item === list[index])) return list;
  return changed.filter((item) => item !== undefined);
}
