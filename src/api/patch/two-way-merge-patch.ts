/**
 * Making a strategic merge patch from two versions of an object (SM-73, SM-75).
 *
 * The patch says only what changed: changed and new fields with their values, null for a field
 * that is gone, and for lists what list-diff.ts says. Applied to `original` it gives `modified`,
 * except where the format has no words for it:
 *
 *   - a field whose value is null in `modified` (it means "delete", so the field will be absent);
 *     nulls inside lists that are replaced, and inside elements that are new, do arrive
 *   - fields named like a directive of directive.ts
 *   - a list of scalars that merges and holds a value twice
 *
 * Parts that both versions share are passed over by one pointer comparison, so the cost follows
 * what was rebuilt and not how big the object is. Where Kubernetes' own function is noisy it is
 * not followed: fields that are equal stay out of the patch also when their type says replace,
 * and also when they are a list of scalars that is not sorted.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../json-equal.ts';
import type { Shape, StructType } from '../schema/shape.ts';
import { descend } from './depth.ts';
import { elementOrderKey, RETAIN_KEYS, valueDeletionKey } from './directive.ts';
import { isEmpty, isJsonList, own, put, type MutableJsonObject } from './json-access.ts';
import { diffLists, type DiffElement } from './list-diff.ts';
import { findListRule, findObjectRule, needRule, type PatchRule } from './patch-rule.ts';
import { patchMalformed, patchUnsupported } from './strategic-errors.ts';

/** Where a difference was found: the patch it goes into, and the type that says how. */
interface Place {
  readonly patch: MutableJsonObject;
  readonly shape: Shape;
  readonly depth: number;
}

/** The patch; `{}` when there is no difference. */
export function createTwoWayMergePatch(
  original: unknown,
  modified: unknown,
  type: StructType | undefined,
): JsonObject {
  if (type === undefined) throw patchUnsupported(undefined);
  if (!isJsonObject(original) || !isJsonObject(modified))
    throw patchMalformed({ part: 'document' });
  const shape: Shape = { kind: 'struct', name: type.name, type };
  return diffObjects(original, modified, shape, false, 0);
}

function diffObjects(
  original: JsonObject,
  modified: JsonObject,
  shape: Shape,
  retainKeys: boolean,
  depth: number,
): JsonObject {
  const patch: MutableJsonObject = {};
  if (original === modified) return patch;
  const place: Place = { patch, shape, depth: descend(depth) };
  for (const key of Object.keys(modified)) {
    const value = own(modified, key);
    if (value !== undefined) diffField(place, key, own(original, key), value);
  }
  for (const key of Object.keys(original)) {
    if (own(modified, key) === undefined) put(patch, key, null);
  }
  if (retainKeys && !isEmpty(patch)) addRetainedKeys(patch, modified);
  return patch;
}

function diffField(place: Place, key: string, before: Json | undefined, after: Json): void {
  if (before === after) return;
  if (isJsonObject(before) && isJsonObject(after)) diffObjectField(place, key, before, after);
  else if (isJsonList(before) && isJsonList(after)) diffListField(place, key, before, after);
  else put(place.patch, key, after);
}

function diffObjectField(place: Place, key: string, before: JsonObject, after: JsonObject): void {
  const rule = findObjectRule(place.shape, key);
  if (rule instanceof PodkeepError || rule.strategy === 'replace') {
    diffWhole(place, key, rule, before, after);
    return;
  }
  const change = diffObjects(before, after, rule.shape, rule.retainKeys, place.depth);
  if (!isEmpty(change)) put(place.patch, key, change);
}

function diffListField(
  place: Place,
  key: string,
  before: readonly Json[],
  after: readonly Json[],
): void {
  const rule = findListRule(place.shape, key);
  if (rule instanceof PodkeepError || rule.strategy !== 'merge') {
    diffWhole(place, key, rule, before, after);
    return;
  }
  const diffElement: DiffElement = (original, modified) =>
    diffObjects(original, modified, rule.shape, rule.retainKeys, place.depth);
  const { changes, removed, order } = diffLists(before, after, rule, diffElement);
  if (changes.length > 0) put(place.patch, key, changes);
  if (removed.length > 0) put(place.patch, valueDeletionKey(key), removed);
  if (order.length > 0) put(place.patch, elementOrderKey(key), order);
}

/** A field that the type does not have may stay as it is. Its change could not be told apart. */
function diffWhole(
  place: Place,
  key: string,
  rule: PatchRule | PodkeepError,
  before: Json,
  after: Json,
): void {
  if (jsonEqual(before, after)) return;
  needRule(rule);
  put(place.patch, key, after);
}

/** Names what survives. Without a single name there would be no directive, only deletions. */
function addRetainedKeys(patch: MutableJsonObject, modified: JsonObject): void {
  const retained = Object.keys(modified).filter((key) => (own(modified, key) ?? null) !== null);
  if (retained.length > 0) put(patch, RETAIN_KEYS, retained.sort());
}
