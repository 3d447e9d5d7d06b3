/** Validates a mutating admission policy and its mutations. */
import type { CelType } from '../../../cel/cel.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readObject, readText } from '../../../api/validation/json-reading.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';
import { composeVariables } from '../../expressions/policy-variables.ts';
import { objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { checkMutableOperations } from './match-resources.ts';
import { checkExpression } from './policy-expressions.ts';
import { baseScope, checkConditionsOf, checkPolicy, checkVariables } from './policy-rules.ts';

const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const OBJECT: CelType = { kind: 'message', name: 'Object' };

/** The types to which the expression of each patch type may evaluate. */
export const PATCH_RESULTS = {
  applyConfiguration: OBJECT,
  jsonPatch: { kind: 'list', item: { kind: 'message', name: 'JSONPatch' } },
} as const satisfies Record<string, CelType>;

export function* checkMutatingPolicy(object: JsonObject, old: JsonObject | null): FieldErrors {
  yield* checkPolicy(object);
  const match = readObject(valueAt(object, 'spec.matchConstraints'));
  if (match) yield* checkMutableOperations(match, 'spec.matchConstraints');
  yield* checkConditionsOf(object, old);
  yield* checkVariables(object);
  const mutations = objectsAt(object, 'spec.mutations');
  if (mutations.length === 0) {
    yield required('spec.mutations', 'mutations must contain at least one item');
  }
  const scope = mutatingScope(object);
  for (const [index, mutation] of mutations.entries()) {
    yield* checkMutation(mutation, scope, `spec.mutations[${index}]`);
  }
  const reinvocation = textAt(object, 'spec.reinvocationPolicy');
  yield* requireOneOf('spec.reinvocationPolicy', reinvocation, REINVOCATION_POLICIES);
}

function mutatingScope(policy: JsonObject): ExpressionScope {
  const variables = objectsAt(policy, 'spec.variables');
  return { ...composeVariables(variables, baseScope(policy)).scope, hasPatchTypes: true };
}

function* checkMutation(mutation: JsonObject, scope: ExpressionScope, path: string): FieldErrors {
  const type = readText(mutation['patchType']);
  yield* requireOneOf(`${path}.patchType`, type, PATCH_TYPES);
  if (!PATCH_TYPES.includes(type)) return;
  const [used, other] =
    type === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const given = readObject(mutation[used]);
  if (!given) yield required(`${path}.${used}`, `must be specified when patchType is ${type}`);
  else {
    const text = readText(given['expression']).trim();
    const field = `${path}.${used}.expression`;
    if (text === '') yield required(field);
    else yield* checkExpression(text, scope, [PATCH_RESULTS[used]], field);
  }
  if (isGiven(mutation[other])) {
    const detail = `must not be specified when patchType is ${type}`;
    yield invalidField(`${path}.${other}`, `{${other}}`, detail);
  }
}
