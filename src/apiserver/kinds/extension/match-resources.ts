/** Defaults and validates the match criteria of policies and bindings. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObjects, fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readTexts } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';
import { validateOneOf } from '../required-fields.ts';
import { checkRule } from './admission-rules.ts';

const MATCH_POLICIES = ['Equivalent', 'Exact'];
/** Without DELETE, which has no object to change. */
const MUTABLE_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

export function defaultMatch(match: JsonObject): JsonObject {
  const filled = fillAbsent(match, {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  });
  const scoped = changeObjects(filled, 'resourceRules', (rule) => fillAbsent(rule, { scope: '*' }));
  return changeObjects(scoped, 'excludeResourceRules', (rule) => fillAbsent(rule, { scope: '*' }));
}

export function* checkMatchResources(match: JsonObject, path: string): FieldErrors {
  if (!isGiven(match['matchPolicy'])) yield required(`${path}.matchPolicy`);
  for (const error of validateOneOf(match, 'matchPolicy', MATCH_POLICIES)) {
    yield { ...error, field: `${path}.${error.field}` };
  }
  for (const name of ['namespaceSelector', 'objectSelector']) {
    if (!isGiven(match[name])) yield required(`${path}.${name}`);
    else yield* validateLabelSelector(match[name], `${path}.${name}`);
  }
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    for (const [index, rule] of objectsAt(match, name).entries()) {
      yield* checkNamedRule(rule, `${path}.${name}[${index}]`);
    }
  }
}

function* checkNamedRule(rule: JsonObject, path: string): FieldErrors {
  const seen = new Set<string>();
  for (const [index, name] of readTexts(rule['resourceNames']).entries()) {
    const field = `${path}.resourceNames[${index}]`;
    yield* invalidFor(field, name, checkPathSegment(name));
    if (seen.has(name)) yield duplicate(field, name);
    seen.add(name);
  }
  yield* checkRule(rule, path);
}

export function* checkMutableOperations(match: JsonObject, path: string): FieldErrors {
  for (const rule of objectsAt(match, 'resourceRules')) {
    for (const operation of readTexts(rule['operations'])) {
      if (MUTABLE_OPERATIONS.includes(operation)) continue;
      yield unsupported(`${path}.resourceRules.operations`, operation, MUTABLE_OPERATIONS);
    }
  }
}
