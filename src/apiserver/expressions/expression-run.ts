/**
 * Evaluates the expressions of one policy or webhook for one request, within cost limits.
 *
 *     one expression   at most a million units; beyond that, only this expression fails
 *     one policy       at most its budget; beyond that, no more of its expressions are evaluated
 *     one request      at most one budget for all its policies together (SharedBudget)
 *
 * The first two limits and the messages are kube-apiserver's. kube-apiserver needs no third one, because it
 * evaluates requests in parallel; here other requests run only between expressions.
 */
import { Budget, CelError, CostExceeded, type CelValue } from '../../cel/cel.ts';
import { evaluate, isFaulty, type Compiled, type ExpressionInput } from './admission-expression.ts';
import type { ExpressionScope } from './admission-types.ts';

/** An expression with its text and its compiled form. */
export interface PolicyExpression {
  readonly text: string;
  readonly compiled: Compiled;
}

export type Outcome = { readonly value: CelValue } | { readonly problem: string };

const EXPRESSION_COST_MAX = 1_000_000;

/** The budget of one policy, which is also charged to the budget of the request. */
export class SharedBudget extends Budget {
  readonly request: Budget;

  constructor(limit: number, request: Budget) {
    super(limit);
    this.request = request;
  }
}

/** The request has exceeded its budget: its policy fails as a whole. */
export class OutOfBudget extends CostExceeded {
  override readonly message =
    'validation failed due to running out of cost budget, no further validation rules will be run';
}

export function isProblem(outcome: Outcome): outcome is { readonly problem: string } {
  return 'problem' in outcome;
}

/** Throws OutOfBudget. */
export function runExpression(
  { text, compiled }: PolicyExpression,
  scope: ExpressionScope,
  input: ExpressionInput,
  total: Budget,
): Outcome {
  if (isFaulty(compiled)) return { problem: `compilation error: ${compiled.fault}` };
  const own = expressionBudget(total);
  try {
    const value = evaluate(compiled, scope, input, own);
    charge(total, own);
    return { value };
  } catch (error) {
    if (!(error instanceof CelError) || error instanceof OutOfBudget) throw error;
    charge(total, own);
    return { problem: `expression '${text}' resulted in error: ${error.message}` };
  }
}

/** The budget of one expression: at most what is left for its policy and its request. Throws OutOfBudget. */
export function expressionBudget(total: Budget): Budget {
  const left = Math.min(...budgetsOf(total).map(({ spent, limit }) => limit - spent));
  if (left <= 0) throw new OutOfBudget();
  return new Budget(Math.min(EXPRESSION_COST_MAX, left));
}

/** Charges the cost of a finished expression to the request. Throws OutOfBudget. */
export function charge(total: Budget, own: Budget): void {
  const isCut = own.limit < EXPRESSION_COST_MAX && own.spent > own.limit;
  const cost = Math.min(own.spent, own.limit);
  for (const budget of budgetsOf(total)) budget.spent += cost;
  if (isCut) throw new OutOfBudget();
}

function budgetsOf(total: Budget): readonly Budget[] {
  return total instanceof SharedBudget ? [total, total.request] : [total];
}
