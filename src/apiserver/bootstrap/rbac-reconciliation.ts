/**
 * What a role or binding of the first hour should be, given what people have made of it: what is
 * missing comes back, what somebody added stays, and who says no to both is left alone.
 */
import { jsonEqual } from '../../api/json-equal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { readRules } from '../auth/rbac/policy-rule.ts';
import { missingRules } from '../auth/rbac/rule-coverage.ts';
import { objectsAt } from '../kinds/field-path.ts';
import { readList, readObject, readStruct, readTextMap } from '../kinds/validation/json-reading.ts';
import { metadataOf, withMetadata } from '../metadata.ts';
import { AUTO_UPDATE } from './rbac-policy.ts';

/** The existing object itself, if it is as it should be. Null: it has to be made anew. */
export function reconcile(existing: JsonObject, expected: JsonObject): JsonObject | null {
  if (readTextMap(metadataOf(existing)['annotations']).get(AUTO_UPDATE) === 'false')
    return existing;
  // Nobody can change which role a binding binds.
  if (!jsonEqual(existing['roleRef'] ?? null, expected['roleRef'] ?? null)) return null;
  const marked = withMetadata(existing, {
    annotations: mergeField(existing, expected, 'annotations'),
    labels: mergeField(existing, expected, 'labels'),
  });
  const isBinding = expected['roleRef'] !== undefined;
  const whole = isBinding ? withSubjects(marked, expected) : withRules(marked, expected);
  return jsonEqual(whole, existing) ? existing : whole;
}

/** What people have written counts more than what we would. */
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

/** A role gathers others only if it should. */
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
