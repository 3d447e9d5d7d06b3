/**
 * Applies a strategic merge patch: a JSON merge patch that knows the types (P-1 to P-4).
 *
 *     null                  the field is removed
 *     object onto object    merged, unless the type or a `$patch` says replace
 *     list onto list        replaced, unless the type says merge (then by merge key or as a set)
 *     anything else         the patch's value is taken
 *
 * Directives in the patch are the keys of directive.ts. Within one object they are applied in this order:
 * `$patch` (and then nothing else), `$retainKeys`, `$setElementOrder/...`, the fields,
 * `$deleteFromPrimitiveList/...` last. Kubernetes goes over the fields in random order, so a value that one
 * patch both adds and deletes may end up either way there; here it is removed.
 *
 * The type is an argument; a kind without one (a custom resource) has no merge rules and is refused, as
 * in Kubernetes. patch-rule.ts decides what happens to fields that the type does not have. Stricter than
 * Kubernetes in one thing: `$deleteFromPrimitiveList` must be a list of scalars, where Kubernetes would
 * write anything else into the field itself.
 *
 * Neither argument is changed, and the result shares what the patch left alone: a patch that changes
 * nothing returns the same object.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import type { Shape, StructType } from '../schema/shape.ts';
import { descend } from './depth.ts';
import {
  deletedFromField,
  DIRECTIVE,
  isElementOrder,
  isValueDeletion,
  orderedField,
  RETAIN_KEYS,
} from './directive.ts';
import { isJsonList, own } from './json-access.ts';
import { deleteValues, keepList, mergeList, type MergeElement } from './merge-list.ts';
import { ObjectDraft } from './object-draft.ts';
import { asList, mergeOrderedList } from './ordered-list.ts';
import { findListRule, findObjectRule, needRule } from './patch-rule.ts';
import { retainKeys } from './retained-keys.ts';
import { directiveUnknown, patchMalformed, patchUnsupported } from './strategic-errors.ts';
import { takeWhole } from './taken-whole.ts';

export function applyStrategicMergePatch(
  original: unknown,
  patch: unknown,
  type: StructType | undefined,
): JsonObject {
  if (type === undefined) throw patchUnsupported(undefined);
  if (!isJsonObject(original) || !isJsonObject(patch)) throw patchMalformed({ part: 'document' });
  return mergeObject(original, patch, { kind: 'struct', name: type.name, type }, 0);
}

function mergeObject(
  original: JsonObject,
  patch: JsonObject,
  shape: Shape,
  depth: number,
): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return obeyDirective(original, patch);
  const deeper = descend(depth);
  const draft = new ObjectDraft(original);
  retainKeys(draft, patch);
  const done = mergeOrderedFields(draft, patch, shape, deeper);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || isElementOrder(key) || isValueDeletion(key)) continue;
    if (done.has(key)) continue;
    draft.set(key, mergeField(draft.get(key), own(patch, key) ?? null, shape, key, deeper));
  }
  deleteFromFields(draft, patch, shape);
  return draft.finish();
}

/** `replace` takes the patch unchanged, nulls included; `delete` leaves an empty object. */
function obeyDirective(original: JsonObject, patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return keepObject(original, rest);
  if (directive === 'delete') return keepObject(original, {});
  throw directiveUnknown({ directive: directive ?? null, where: patch });
}

/** Merges the fields that have a `$setElementOrder`, and returns which they were. */
function mergeOrderedFields(
  draft: ObjectDraft,
  patch: JsonObject,
  shape: Shape,
  depth: number,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (!isElementOrder(key)) continue;
    const order = asList(own(patch, key)) ?? [];
    const field = orderedField(key);
    const parts = { original: asList(draft.get(field)), patch: asList(own(patch, field)), order };
    const rule = needRule(findListRule(shape, field));
    const merged = mergeOrderedList(parts, rule, mergeElementOf(rule.shape, depth));
    if (merged !== undefined) draft.set(field, merged);
    done.add(field);
  }
  return done;
}

/** The field's next value. Undefined: it is removed. */
function mergeField(
  current: Json | undefined,
  patch: Json,
  parent: Shape,
  name: string,
  depth: number,
): Json | undefined {
  if (patch === null) return undefined;
  if (isJsonObject(current) && isJsonObject(patch)) {
    const rule = needRule(findObjectRule(parent, name));
    if (rule.strategy === 'replace') return keepObject(current, patch);
    return mergeObject(current, patch, rule.shape, depth);
  }
  if (isJsonList(current) && isJsonList(patch)) {
    const rule = needRule(findListRule(parent, name));
    if (rule.strategy !== 'merge') return keepList(current, patch);
    return mergeList(current, patch, rule, mergeElementOf(rule.shape, depth));
  }
  return takeWhole(patch);
}

function mergeElementOf(shape: Shape, depth: number): MergeElement {
  return (original, patch) => mergeObject(original, patch, shape, depth);
}

function deleteFromFields(draft: ObjectDraft, patch: JsonObject, shape: Shape): void {
  for (const key of Object.keys(patch)) {
    if (!isValueDeletion(key)) continue;
    const field = deletedFromField(key);
    const values = own(patch, key);
    if (!isJsonList(values) || values.some((value) => typeof value === 'object')) {
      throw patchMalformed({ part: 'primitiveList' });
    }
    const current = draft.get(field);
    if (!isJsonList(current)) continue;
    needRule(findListRule(shape, field));
    draft.set(field, deleteValues(current, values));
  }
}

function keepObject(original: JsonObject, next: JsonObject): JsonObject {
  return jsonEqual(original, next) ? original : next;
}
