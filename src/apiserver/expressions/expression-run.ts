/**
 * Runs expressions of one policy or webhook for one request, within what the request may cost.
 *
 *     one expression   at most a million units; then it fails alone, as if it had divided by zero
 *     one policy       at most its budget; then nothing more of it is evaluated
 *     one request      at most the budget of all its policies together (SharedBudget)
 *
 * The first two limits and the sentences are those of kube-apiserver. It has no third one: it evaluates beside
 * other requests, while here they have their turn only between expressions.
 */
import { Budget, CelError, CostExceeded, type CelValue } from '../../cel/cel.ts';
import { evaluate, isFaulty, type Compiled, type ExpressionInput } from './admission-expression.ts';
import type { ExpressionScope } from './admission-types.ts';

/** An expression as it was written, and what it was compiled to. */
export interface PolicyExpression {
  readonly text: string;
  readonly compiled: Compiled;
}

export type Outcome = { readonly value: CelValue } | { readonly problem: string };

const EXPRESSION_COST_MAX = 1_000_000;

/** The budget of one policy, as a part of what its request may cost. */
export class SharedBudget extends Budget {
  readonly request: Budget;

  constructor(limit: number, request: Budget) {
    super(limit);
    this.request = request;
  }
}

/** The request has cost too much: its policy fails as a whole. */
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

/** What one expression may cost: no more than is left for its policy and its request. Throws OutOfBudget. */
export function expressionBudget(total: Budget): Budget {
  const left = Math.min(...budgetsOf(total).map(({ spent, limit }) => limit - spent));
  if (left <= 0) throw new OutOfBudget();
  return new Budget(Math.min(EXPRESSION_COST_MAX, left));
}

/** What a finished expression has cost counts for the request. Throws OutOfBudget. */
export function charge(total: Budget, own: Budget): void {
  const isCut = own.limit < EXPRESSION_COST_MAX && own.spent > own.limit;
  const cost = Math.min(own.spent, own.limit);
  for (const budget of budgetsOf(total)) budget.spent += cost;
  if (isCut) throw new OutOfBudget();
}

function budgetsOf(total: Budget): readonly Budget[] {
  return total instanceof SharedBudget ? [total, total.request] : [total];
}
