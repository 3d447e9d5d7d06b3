/**
 * Reconciles an existing default role or binding: restores missing rules and subjects, keeps those that users
 * added, and skips objects with autoupdate off.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { readRules } from '../auth/rbac/policy-rule.ts';
import { missingRules } from '../auth/rbac/rule-coverage.ts';
import { objectsAt } from '../objects/field-path.ts';
import {
  readList,
  readObject,
  readStruct,
  readTextMap,
} from '../../api/validation/json-reading.ts';
import { metadataOf, withMetadata } from '../objects/metadata.ts';
import { AUTO_UPDATE } from '../auth/rbac/rbac-policy.ts';

/** The existing object itself, if nothing changes. Null: the object must be deleted and created again. */
export function reconcile(existing: JsonObject, expected: JsonObject): JsonObject | null {
  if (readTextMap(metadataOf(existing)['annotations']).get(AUTO_UPDATE) === 'false')
    return existing;
  // The role of a binding is immutable.
  if (!jsonEqual(existing['roleRef'] ?? null, expected['roleRef'] ?? null)) return null;
  const marked = withMetadata(existing, {
    annotations: mergeField(existing, expected, 'annotations'),
    labels: mergeField(existing, expected, 'labels'),
  });
  const isBinding = expected['roleRef'] !== undefined;
  const whole = isBinding ? withSubjects(marked, expected) : withRules(marked, expected);
  return jsonEqual(whole, existing) ? existing : whole;
}

/** Values that users set take precedence over the defaults. */
function mergeField(existing: JsonObject, expected: JsonObject, field: string): JsonObject {
  return { ...readStruct(metadataOf(expected)[field]), ...readStruct(metadataOf(existing)[field]) };
}

function withSubjects(binding: JsonObject, expected: JsonObject): JsonObject {
  return withItems(binding, 'subjects', missingItems(binding['subjects'], expected['subjects']));
}

function withRules(role: JsonObject, expected: JsonObject): JsonObject {
  const missing = missingRules(readRules(role), readRules(expected));
  return withSelectors(withItems(role, 'rules', missing.map(toJson)), expected);
}

/** Sets the aggregation selectors only if the default role has some. */
function withSelectors(role: JsonObject, expected: JsonObject): JsonObject {
  const path = 'aggregationRule.clusterRoleSelectors';
  if (!readObject(expected['aggregationRule'])) {
    const { aggregationRule: _rule, ...rest } = role;
    return rest;
  }
  const missing = missingItems(objectsAt(role, path), objectsAt(expected, path));
  if (missing.length === 0) return role;
  const aggregation = readStruct(role['aggregationRule']);
  return { ...role, aggregationRule: withItems(aggregation, 'clusterRoleSelectors', missing) };
}

function withItems(object: JsonObject, field: string, items: readonly Json[]): JsonObject {
  if (items.length === 0) return object;
  return { ...object, [field]: [...readList(object[field]), ...items] };
}

function missingItems(held: Json | undefined, wanted: Json | undefined): readonly Json[] {
  return readList(wanted).filter((one) => !readList(held).some((other) => jsonEqual(one, other)));
}

function toJson(rule: ReturnType<typeof readRules>[number]): JsonObject {
  return { ...rule };
}
