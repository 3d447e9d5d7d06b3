/**
 * Applies `$setElementOrder/<field>`: merges the list of that field, then orders it as the directive says.
 *
 * The directive names elements by merge key or by value. It need not name all elements that the server has
 * (P-1 defines the position of the others), but it must name those that the patch sets, in the same order
 * (P-4). Names of elements that neither side has are skipped.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { DIRECTIVE } from './directive.ts';
import { orderElements } from './element-order.ts';
import { isJsonList } from './json-access.ts';
import { elementType, identifyBy, type Identify } from './list-elements.ts';
import { keepList, mergeList, type MergeElement } from './merge-list.ts';
import type { PatchRule } from './patch-rule.ts';
import { elementsAbsent, orderMismatch, typeMismatch } from './strategic-errors.ts';
import { takeElements } from './taken-whole.ts';

export interface OrderedParts {
  readonly original: readonly Json[] | undefined;
  readonly patch: readonly Json[] | undefined;
  readonly order: readonly Json[];
}

/** The field's list, merged and ordered; undefined if neither side has one. */
export function mergeOrderedList(
  parts: OrderedParts,
  rule: PatchRule,
  mergeElement: MergeElement,
): readonly Json[] | undefined {
  const { original, patch, order } = parts;
  const identify = identifyBy(rule.mergeKey);
  checkOrder(patch ?? [], order, rule, identify);
  if (original === undefined && patch === undefined) return undefined;

  const merged = mergeContents(parts, rule, mergeElement);
  const type = elementType(original ?? [], patch ?? []);
  if (type === undefined) throw elementsAbsent(undefined);
  const places = placesOf(original ?? [], patch ?? [], rule, identify);
  const ordered = orderElements(merged, order, places, identify);
  return original === undefined ? ordered : keepList(original, ordered);
}

/**
 * The original positions for ordering. The first elements that the patch adds take the positions of those
 * that it deletes, after all that remain: an accident of how kube-apiserver stores the list, but every API
 * server does it, so clients depend on it.
 */
function placesOf(
  original: readonly Json[],
  patch: readonly Json[],
  { strategy, mergeKey }: PatchRule,
  identify: Identify,
): readonly Json[] {
  if (strategy !== 'merge' || mergeKey === undefined || !patch.some(isDeletion)) return original;
  const deleted = new Set(patch.filter(isDeletion).map(identify));
  const kept = original.filter((item) => !deleted.has(identify(item)));
  const standing = new Set(kept.map(identify));
  const added = patch.filter((item) => {
    if (carriesDirective(item) || standing.has(identify(item))) return false;
    standing.add(identify(item));
    return true;
  });
  return [...kept, ...added.slice(0, original.length - kept.length)];
}

/** A value of the patch that must be a list if it is present. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || isJsonList(value)) return value;
  throw typeMismatch({ expected: '[]interface {}', actual: value });
}

function mergeContents(
  { original, patch }: OrderedParts,
  rule: PatchRule,
  mergeElement: MergeElement,
): readonly Json[] {
  if (patch === undefined) return original ?? [];
  if (original === undefined) return takeElements(patch);
  return rule.strategy === 'merge' ? mergeList(original, patch, rule, mergeElement) : patch;
}

/** Walks both lists at once: the order must name every plain element of the patch, in the same sequence. */
function checkOrder(
  patch: readonly Json[],
  order: readonly Json[],
  rule: PatchRule,
  identify: Identify,
): void {
  if (patch.length === 0 || order.length === 0) return;
  const expected = rule.mergeKey === undefined ? patch : patch.filter((item) => !isDeletion(item));
  let next = 0;
  for (let place = 0; place < order.length && next < expected.length;) {
    const item = expected[next] ?? null;
    if (carriesDirective(item)) {
      next += 1;
      continue;
    }
    if (identify(item) === identify(order[place] ?? null)) next += 1;
    place += 1;
  }
  if (next < expected.length) throw orderMismatch({ items: patch, order });
}

function carriesDirective(item: Json): boolean {
  return isJsonObject(item) && Object.hasOwn(item, DIRECTIVE);
}

function isDeletion(item: Json): boolean {
  return isJsonObject(item) && Object.hasOwn(item, DIRECTIVE) && item[DIRECTIVE] === 'delete';
}
