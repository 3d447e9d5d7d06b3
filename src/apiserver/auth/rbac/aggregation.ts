/**
 * Computes the rules of an aggregated ClusterRole: the rules of all ClusterRoles that its selectors match.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import {
  matchesLabels,
  selectorFromObject,
  type LabelSelectorObject,
} from '../../../api/values/label-selector.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { readList, readObject, readTextMap } from '../../../api/validation/json-reading.ts';
import { metadataOf, nameOf } from '../../objects/metadata.ts';

/**
 * The rules without duplicates, in the order of the roles' names. Null: the role aggregates nothing, or
 * already has these rules.
 */
export function aggregatedRules(
  role: JsonObject,
  allRoles: readonly JsonObject[],
): readonly Json[] | null {
  if (!readObject(role['aggregationRule'])) return null;
  const rules: Json[] = [];
  for (const selector of objectsAt(role, 'aggregationRule.clusterRoleSelectors')) {
    for (const rule of rulesChosen(selector, role, allRoles)) {
      if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
    }
  }
  return jsonEqual(rules, readList(role['rules'])) ? null : rules;
}

function rulesChosen(
  selector: LabelSelectorObject,
  role: JsonObject,
  allRoles: readonly JsonObject[],
): readonly Json[] {
  const chosen = selectorFromObject(selector);
  return allRoles
    .filter((other) => nameOf(other) !== nameOf(role))
    .filter((other) =>
      matchesLabels(chosen, Object.fromEntries(readTextMap(metadataOf(other)['labels']))),
    )
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .flatMap((other) => readList(other['rules']));
}
