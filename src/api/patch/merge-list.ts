/**
 * Merges a list of the patch into the original list, for fields with patch strategy `merge`.
 *
 * Scalars: the result is the union, in the order of P-1. Objects: elements with the same merge key are
 * merged; new elements are added unchanged, nulls included. An element with `$patch` is a directive: `delete`
 * removes the elements with its merge key, before anything is merged; `replace`, in any element, replaces the
 * list with the patch's elements that are no directives (P-2).
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import { DIRECTIVE } from './directive.ts';
import { orderElements } from './element-order.ts';
import { own } from './json-access.ts';
import {
  elementType,
  identifyBy,
  indexElements,
  type Identify,
  type Identity,
} from './list-elements.ts';
import { goKindOf, type PatchRule } from './patch-rule.ts';
import { directiveUnknown, listMergeDirective, mergeKeyUndeclared } from './strategic-errors.ts';

/** Merges one element of the patch into the original element with the same identity. */
export type MergeElement = (original: JsonObject, patch: JsonObject) => JsonObject;

interface Orders {
  readonly plain: readonly JsonObject[];
  readonly deleted: ReadonlySet<Identity>;
  readonly replace: boolean;
}

/** The merged list; the same list if the patch changes nothing in it. */
export function mergeList(
  original: readonly Json[],
  patch: readonly Json[],
  rule: PatchRule,
  mergeElement: MergeElement,
): readonly Json[] {
  const type = elementType(original, patch);
  if (type === undefined) return original;
  const identify = identifyBy(rule.mergeKey);
  const isObjects = type === 'map[string]interface {}';
  if (isObjects && rule.mergeKey === undefined) {
    throw mergeKeyUndeclared({ kind: goKindOf(rule.shape) });
  }
  const merged = isObjects
    ? mergeObjects(
        original.filter(isJsonObject),
        patch.filter(isJsonObject),
        identify,
        mergeElement,
      )
    : mergeScalars(original, patch, identify);
  return keepList(original, merged);
}

/** The list without `values`, whatever the field's patch strategy is. */
export function deleteValues(original: readonly Json[], values: readonly Json[]): readonly Json[] {
  elementType(original, values);
  const deleted = new Set(values);
  return keepList(
    original,
    original.filter((item) => !deleted.has(item)),
  );
}

/** The original list if the new one is equal, so that an unchanged list can be detected by `===`. */
export function keepList(original: readonly Json[], next: readonly Json[]): readonly Json[] {
  return jsonEqual(original, next) ? original : next;
}

function mergeScalars(
  original: readonly Json[],
  patch: readonly Json[],
  identify: Identify,
): readonly Json[] {
  const union = [...new Set([...original, ...patch])];
  return orderElements(union, patch, original, identify);
}

function mergeObjects(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  identify: Identify,
  mergeElement: MergeElement,
): readonly Json[] {
  const { plain, deleted, replace } = readOrders(patch, identify);
  if (replace) {
    for (const item of plain) identify(item);
    return plain;
  }
  const kept = original.filter((item) => !deleted.has(identify(item)));
  return orderElements(mergeElements(kept, plain, identify, mergeElement), plain, kept, identify);
}

function readOrders(patch: readonly JsonObject[], identify: Identify): Orders {
  const plain: JsonObject[] = [];
  const deleted = new Set<Identity>();
  let replace = false;
  for (const item of patch) {
    const directive = own(item, DIRECTIVE);
    if (directive === undefined) plain.push(item);
    else if (directive === 'delete') deleted.add(identify(item));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw listMergeDirective(undefined);
    else throw directiveUnknown({ directive, where: item });
  }
  return { plain, deleted, replace };
}

function mergeElements(
  kept: readonly JsonObject[],
  plain: readonly JsonObject[],
  identify: Identify,
  mergeElement: MergeElement,
): readonly JsonObject[] {
  const merged = [...kept];
  // Elements of the original that share a merge key: the first is merged into, the others stay.
  const places = new Map(indexElements(kept, identify));
  for (const item of plain) {
    const identity = identify(item);
    const place = places.get(identity);
    const found = place === undefined ? undefined : merged[place];
    if (place === undefined || found === undefined) {
      places.set(identity, merged.length);
      merged.push(item);
    } else {
      merged[place] = mergeElement(found, item);
    }
  }
  return merged;
}
