/**
 * Creates the strategic merge patch between two versions of an object (SM-73, SM-75).
 *
 * The patch contains only the changes: changed and new fields with their values, null for a removed field,
 * and for lists the result of list-diff.ts. Applied to `original` it gives `modified`, except where the
 * format cannot express it:
 *
 *   - a field whose value is null in `modified` (it means "delete", so the field will be absent);
 *     nulls inside lists that are replaced, and inside elements that are new, do arrive
 *   - fields named like a directive of directive.ts
 *   - a list of scalars that merges and holds a value twice
 *
 * Parts that both versions share are skipped by one pointer comparison, so the cost depends on the size of
 * the change and not on the size of the object. Unlike Kubernetes' CreateTwoWayMergePatch, this function
 * never puts an unchanged field into the patch, even if the field has the strategy replace or is an unsorted
 * list of scalars.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import type { Shape, StructType } from '../schema/shape.ts';
import { descend } from './depth.ts';
import { elementOrderKey, RETAIN_KEYS, valueDeletionKey } from './directive.ts';
import { isEmpty, isJsonList, own, put, type MutableJsonObject } from './json-access.ts';
import { diffLists, type DiffElement } from './list-diff.ts';
import { findListRule, findObjectRule, needRule, type PatchRule } from './patch-rule.ts';
import { patchMalformed, patchUnsupported } from './strategic-errors.ts';

/** The patch to which a difference is added, and the type that determines how. */
interface DiffTarget {
  readonly patch: MutableJsonObject;
  readonly shape: Shape;
  readonly depth: number;
}

/** The patch; `{}` if there is no difference. */
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
  const target: DiffTarget = { patch, shape, depth: descend(depth) };
  for (const key of Object.keys(modified)) {
    const value = own(modified, key);
    if (value !== undefined) diffField(target, key, own(original, key), value);
  }
  for (const key of Object.keys(original)) {
    if (own(modified, key) === undefined) put(patch, key, null);
  }
  if (retainKeys && !isEmpty(patch)) addRetainedKeys(patch, modified);
  return patch;
}

function diffField(target: DiffTarget, key: string, before: Json | undefined, after: Json): void {
  if (before === after) return;
  if (isJsonObject(before) && isJsonObject(after)) diffObjectField(target, key, before, after);
  else if (isJsonList(before) && isJsonList(after)) diffListField(target, key, before, after);
  else put(target.patch, key, after);
}

function diffObjectField(
  target: DiffTarget,
  key: string,
  before: JsonObject,
  after: JsonObject,
): void {
  const rule = findObjectRule(target.shape, key);
  if (rule instanceof PodkeepError || rule.strategy === 'replace') {
    diffWhole(target, key, rule, before, after);
    return;
  }
  const change = diffObjects(before, after, rule.shape, rule.retainKeys, target.depth);
  if (!isEmpty(change)) put(target.patch, key, change);
}

function diffListField(
  target: DiffTarget,
  key: string,
  before: readonly Json[],
  after: readonly Json[],
): void {
  const rule = findListRule(target.shape, key);
  if (rule instanceof PodkeepError || rule.strategy !== 'merge') {
    diffWhole(target, key, rule, before, after);
    return;
  }
  const diffElement: DiffElement = (original, modified) =>
    diffObjects(original, modified, rule.shape, rule.retainKeys, target.depth);
  const { changes, removed, order } = diffLists(before, after, rule, diffElement);
  if (changes.length > 0) put(target.patch, key, changes);
  if (removed.length > 0) put(target.patch, valueDeletionKey(key), removed);
  if (order.length > 0) put(target.patch, elementOrderKey(key), order);
}

/**
 * Puts the whole new value into the patch. A changed field that the type does not have is an error: it has no
 * merge rule.
 */
function diffWhole(
  target: DiffTarget,
  key: string,
  rule: PatchRule | PodkeepError,
  before: Json,
  after: Json,
): void {
  if (jsonEqual(before, after)) return;
  needRule(rule);
  put(target.patch, key, after);
}

/**
 * Adds `$retainKeys` with the remaining fields. If none remain the directive is omitted, and only deletions
 * are sent.
 */
function addRetainedKeys(patch: MutableJsonObject, modified: JsonObject): void {
  const retained = Object.keys(modified).filter((key) => (own(modified, key) ?? null) !== null);
  if (retained.length > 0) put(patch, RETAIN_KEYS, retained.sort());
}
