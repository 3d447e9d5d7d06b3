/**
 * Evaluates the matchConditions of a webhook or policy: all must be true for it to apply to a request. One
 * that is false decides, even if another fails to evaluate.
 */
import type { Budget } from '../../../cel/cel.ts';
import type { ExpressionInput } from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';
import {
  isProblem,
  OutOfBudget,
  runExpression,
  SharedBudget,
  type PolicyExpression,
} from '../../expressions/expression-run.ts';

/** The limit for all conditions of one webhook or policy, as in kube-apiserver. */
const CONDITIONS_COST_MAX = 2_500_000;

/**
 * `request`: the cost budget that all conditions and policies of the request share. A `problem`: the failure
 * policy decides.
 */
export function meetsConditions(
  conditions: readonly PolicyExpression[],
  scope: ExpressionScope,
  input: ExpressionInput,
  request: Budget,
): boolean | { readonly problem: string } {
  const budget = new SharedBudget(CONDITIONS_COST_MAX, request);
  // As in kube-apiserver, match conditions have no namespaceObject.
  const seen = { ...input, namespaceObject: null };
  const problems: string[] = [];
  try {
    for (const condition of conditions) {
      const outcome = runExpression(condition, scope, seen, budget);
      if (isProblem(outcome)) problems.push(outcome.problem);
      else if (outcome.value === false) return false;
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return { problem: error.message };
  }
  if (problems.length === 0) return true;
  const distinct = [...new Set(problems)];
  return { problem: distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]` };
}
