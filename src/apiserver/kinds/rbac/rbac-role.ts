/** Defines the kinds Role and ClusterRole: their validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { CREATED_AT } from '../../objects/columns.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { NAME, plainKind } from '../../objects/plain-kind.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { readObject, readTexts } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';

export const RBAC = 'rbac.authorization.k8s.io';

export const roles = plainKind(`${RBAC}/v1`, {
  kind: 'Role',
  resource: 'roles',
  rules: {
    createsOnUpdate: true,
    checkName: checkPathSegment,
    validate: (object) => [...checkRules(object, true)],
    validateUpdate: (object) => [...checkRules(object, true)],
  },
  columns: [NAME, CREATED_AT],
});

export const clusterRoles = plainKind(`${RBAC}/v1`, {
  kind: 'ClusterRole',
  resource: 'clusterroles',
  rules: {
    createsOnUpdate: true,
    checkName: checkPathSegment,
    validate: (object) => [...checkRules(object, false), ...checkAggregation(object)],
    validateUpdate: (object) => [...checkRules(object, false), ...checkAggregation(object)],
  },
  columns: [NAME, CREATED_AT],
});

/** For names that only have to be valid path segments, such as `system:node`. */
export function checkPathSegment(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].flatMap((letter) =>
    name.includes(letter) ? [`may not contain '${letter}'`] : [],
  );
}

function* checkRules(object: JsonObject, isNamespaced: boolean): FieldErrors {
  for (const [index, rule] of objectsAt(object, 'rules').entries()) {
    yield* checkRule(rule, `rules[${index}]`, isNamespaced);
  }
}

function* checkRule(rule: JsonObject, path: string, isNamespaced: boolean): FieldErrors {
  const has = (name: string): boolean => readTexts(rule[name]).length > 0;
  if (!has('verbs')) yield required(`${path}.verbs`, 'verbs must contain at least one value');
  const urls = readTexts(rule['nonResourceURLs']);
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`;
    if (isNamespaced) {
      yield invalidField(field, urls, 'namespaced rules cannot apply to non-resource URLs');
    }
    if (['apiGroups', 'resources', 'resourceNames'].some(has)) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      yield invalidField(field, urls, detail);
    }
    return;
  }
  if (!has('apiGroups')) {
    yield required(`${path}.apiGroups`, 'resource rules must supply at least one api group');
  }
  if (!has('resources')) {
    yield required(`${path}.resources`, 'resource rules must supply at least one resource');
  }
}

function* checkAggregation(object: JsonObject): FieldErrors {
  const aggregation = readObject(object['aggregationRule']);
  if (!aggregation) return;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) yield required(field, 'at least one clusterRoleSelector required');
  for (const [index, selector] of selectors.entries()) {
    yield* validateLabelSelector(selector, `${field}[${index}]`);
  }
}
