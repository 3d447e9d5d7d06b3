/**
 * Computes the strategic merge patch between two versions of a list with patch strategy `merge`.
 *
 *     changes   the elements to merge: new ones whole, changed ones with what changed, in the
 *               order of the modified list; then a `{"$patch": "delete", <key>}` for each removed one
 *     removed   for scalars: the values to remove
 *     order     the modified list's elements by name, if anything changed; otherwise the server would
 *               put new ones in front (P-1)
 *
 * A list with two elements of the same merge key (a port as TCP and as UDP) cannot be patched element by
 * element, since the key finds only the first. Such lists are replaced as a whole, with a leading `{"$patch":
 * "replace"}` (P-2); the patch that Kubernetes' own client makes there loses elements. The format cannot
 * express duplicate scalars: only one of them arrives.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import { DIRECTIVE } from './directive.ts';
import { isEmpty } from './json-access.ts';
import { elementType, identifyBy, indexElements, type Identity } from './list-elements.ts';
import { goKindOf, type PatchRule } from './patch-rule.ts';
import { mergeKeyUndeclared } from './strategic-errors.ts';

export interface ListDiff {
  readonly changes: readonly Json[];
  readonly removed: readonly Json[];
  readonly order: readonly Json[];
}

export type DiffElement = (original: JsonObject, modified: JsonObject) => JsonObject;

const NOTHING: readonly Json[] = [];
const SAME: ListDiff = { changes: NOTHING, removed: NOTHING, order: NOTHING };

export function diffLists(
  original: readonly Json[],
  modified: readonly Json[],
  rule: PatchRule,
  diffElement: DiffElement,
): ListDiff {
  // Most lists did not change, and detecting that costs a fraction of finding the difference.
  if (jsonEqual(original, modified)) return SAME;
  const type = elementType(original, modified);
  if (type === undefined) return SAME;
  const { mergeKey } = rule;
  if (type !== 'map[string]interface {}') return diffScalars(original, modified, mergeKey);
  if (mergeKey === undefined) throw mergeKeyUndeclared({ kind: goKindOf(rule.shape) });
  return diffObjects(
    original.filter(isJsonObject),
    modified.filter(isJsonObject),
    mergeKey,
    diffElement,
  );
}

function diffScalars(
  original: readonly Json[],
  modified: readonly Json[],
  mergeKey: string | undefined,
): ListDiff {
  const identify = identifyBy(mergeKey);
  const before = indexElements(original, identify);
  const after = indexElements(modified, identify);
  if (original.length === 0) return { ...SAME, changes: modified };
  return {
    changes: [...after.keys()].filter((value) => !before.has(value)),
    removed: sortByText([...before.keys()].filter((value) => !after.has(value))),
    order: modified,
  };
}

function diffObjects(
  original: readonly JsonObject[],
  modified: readonly JsonObject[],
  mergeKey: string,
  diffElement: DiffElement,
): ListDiff {
  const identify = identifyBy(mergeKey);
  const before = indexElements(original, identify);
  const after = indexElements(modified, identify);
  if (before.size < original.length || after.size < modified.length) {
    return replaceList(modified);
  }
  if (original.length === 0) return { ...SAME, changes: modified };

  const changes: Json[] = [];
  for (const [identity, place] of after) {
    const change = diffFound(original[before.get(identity) ?? -1], modified[place], diffElement);
    if (change !== undefined) changes.push({ ...change, [mergeKey]: identity });
  }
  const gone = [...before.keys()].filter((identity) => !after.has(identity));
  for (const identity of sortByText(gone)) {
    changes.push({ [DIRECTIVE]: 'delete', [mergeKey]: identity });
  }
  if (changes.length === 0 && isSameOrder(before, after)) return SAME;
  return {
    ...SAME,
    changes,
    order: [...after.keys()].map((identity) => ({ [mergeKey]: identity })),
  };
}

/** The patch of one element. Undefined: it did not change. */
function diffFound(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  diffElement: DiffElement,
): JsonObject | undefined {
  if (before === undefined || after === undefined) return after;
  if (jsonEqual(before, after)) return undefined;
  const change = diffElement(before, after);
  return isEmpty(change) ? undefined : change;
}

function replaceList(modified: readonly Json[]): ListDiff {
  return { ...SAME, changes: [{ [DIRECTIVE]: 'replace' }, ...modified] };
}

/** Both are in the order of their lists, so lists of equal length are compared index by index. */
function isSameOrder(
  before: ReadonlyMap<Identity, number>,
  after: ReadonlyMap<Identity, number>,
): boolean {
  if (before.size !== after.size) return false;
  for (const [identity, place] of after) if (before.get(identity) !== place) return false;
  return true;
}

function sortByText(values: readonly Identity[]): readonly Identity[] {
  return values
    .map((value) => ({ value, text: String(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ value }) => value);
}
