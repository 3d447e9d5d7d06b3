/**
 * Compiles a MutatingAdmissionPolicy and evaluates its mutations: each expression yields an
 * ApplyConfiguration or a JSONPatch, which is applied to the object.
 */
import { ListValue, MessageValue, type Budget } from '../../../cel/cel.ts';
import { isGiven, readObject, readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  compileAdmissionExpression,
  type ExpressionInput,
} from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';
import {
  isProblem,
  OutOfBudget,
  runExpression,
  SharedBudget,
  type Outcome,
  type PolicyExpression,
} from '../../expressions/expression-run.ts';
import {
  composeVariables,
  withVariables,
  type Composition,
} from '../../expressions/policy-variables.ts';
import { PATCH_RESULTS } from '../../kinds/extension/mutation-rules.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { applyOperations } from './json-patch-mutation.ts';
import { compileConditions } from './policy-conditions.ts';
import { MutationError } from './policy-errors.ts';
import { checkResultSize } from './result-size.ts';

export interface MutatingPolicy {
  readonly composition: Composition;
  readonly conditions: readonly PolicyExpression[];
  readonly conditionScope: ExpressionScope;
  readonly mutations: readonly Mutation[];
  readonly isReinvocable: boolean;
}

interface Mutation extends PolicyExpression {
  readonly type: keyof typeof PATCH_RESULTS;
}

/** The cost limit of each mutation, as in kube-apiserver. */
const MUTATION_COST_MAX = 10_000_000;

export function compileMutatingPolicy(policy: JsonObject): MutatingPolicy {
  const base = { hasParams: isGiven(valueAt(policy, 'spec.paramKind')), hasAuthorizer: true };
  const composition = composeVariables(objectsAt(policy, 'spec.variables'), base);
  return {
    composition,
    conditions: compileConditions(policy, base),
    conditionScope: base,
    mutations: objectsAt(policy, 'spec.mutations').map((mutation) =>
      compileMutation(mutation, composition.scope),
    ),
    isReinvocable: valueAt(policy, 'spec.reinvocationPolicy') === 'IfNeeded',
  };
}

function compileMutation(mutation: JsonObject, scope: ExpressionScope): Mutation {
  const type = mutation['patchType'] === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
  const text = readText(readObject(mutation[type])?.['expression']);
  const seen = { ...scope, hasPatchTypes: true };
  return { type, text, compiled: compileAdmissionExpression(text, seen, [PATCH_RESULTS[type]]) };
}

/**
 * The changed object, of the given kind. `request`: the cost budget that all policies of the request share.
 * Throws a MutationError, or a StatusError.
 */
export function mutate(
  mutation: Mutation,
  composition: Composition,
  input: ExpressionInput,
  object: JsonObject,
  definition: KindDefinition,
  request: Budget,
): JsonObject {
  const outcome = run(mutation, composition, input, request);
  if (isProblem(outcome)) throw new MutationError(outcome.problem);
  const { value } = outcome;
  checkResultSize(value);
  if (mutation.type === 'applyConfiguration') {
    if (value instanceof MessageValue) return applyConfiguration(object, value, definition);
  } else if (value instanceof ListValue) return applyOperations(object, value, definition);
  throw new MutationError(`type mismatch: unsupported result of '${mutation.text}'`);
}

function run(
  mutation: Mutation,
  composition: Composition,
  input: ExpressionInput,
  request: Budget,
): Outcome {
  const budget = new SharedBudget(MUTATION_COST_MAX, request);
  const scope = { ...composition.scope, hasPatchTypes: true };
  try {
    return runExpression(mutation, scope, withVariables(input, composition, budget), budget);
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: error.message };
    throw error;
  }
}
