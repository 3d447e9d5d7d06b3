/**
 * Applies matchLabelKeys and mismatchLabelKeys when a pod is created: writes the keys with the pod's own
 * values into the selectors, so that the scheduler need not handle them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { changeObject, changeObjects, withField } from '../../../api/validation/json-changes.ts';
import { readList, readObject, readTexts } from '../../../api/validation/json-reading.ts';

type Labels = ReadonlyMap<string, string>;

export function addLabelKeysToSelectors(spec: JsonObject, labels: Labels): JsonObject {
  const addTo = (holder: JsonObject): JsonObject => addExpressions(holder, labels);
  const changed = changeObject(spec, 'affinity', (affinity) => {
    const near = changeObject(affinity, 'podAffinity', (one) => changeTerms(one, addTo));
    return changeObject(near, 'podAntiAffinity', (one) => changeTerms(one, addTo));
  });
  // Spread constraints have no mismatchLabelKeys, so one in the input is ignored.
  return changeObjects(changed, 'topologySpreadConstraints', (constraint) =>
    addExpressions(constraint, labels, false),
  );
}

function changeTerms(affinity: JsonObject, change: (term: JsonObject) => JsonObject): JsonObject {
  const preferred = changeObjects(
    affinity,
    'preferredDuringSchedulingIgnoredDuringExecution',
    (weighted) => changeObject(weighted, 'podAffinityTerm', change),
  );
  return changeObjects(preferred, 'requiredDuringSchedulingIgnoredDuringExecution', change);
}

function addExpressions(holder: JsonObject, labels: Labels, mayMismatch = true): JsonObject {
  const selector = readObject(holder['labelSelector']);
  if (!selector) return holder; // such a selector matches nothing, and keeps matching nothing
  const added = [
    ...expressionsFor(readTexts(holder['matchLabelKeys']), 'In', labels),
    ...expressionsFor(mayMismatch ? readTexts(holder['mismatchLabelKeys']) : [], 'NotIn', labels),
  ];
  if (added.length === 0) return holder;
  const matchExpressions = [...readList(selector['matchExpressions']), ...added];
  return withField(holder, 'labelSelector', { ...selector, matchExpressions });
}

function expressionsFor(
  keys: readonly string[],
  operator: string,
  labels: Labels,
): readonly JsonObject[] {
  return keys.flatMap((key) => {
    const value = labels.get(key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
