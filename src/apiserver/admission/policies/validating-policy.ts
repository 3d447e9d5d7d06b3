/**
 * Compiles a ValidatingAdmissionPolicy and evaluates it for one request and one parameter: the denials of its
 * validations, and its audit annotations.
 *
 * As in kube-apiserver, validations and their messages share one cost budget, and audit annotations have
 * another.
 */
import { BOOL, STRING, type Budget, type CelValue } from '../../../cel/cel.ts';
import { readText } from '../../../api/validation/json-reading.ts';
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
import { isGiven } from '../../../api/validation/json-reading.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import { meetsConditions } from '../matching/condition-match.ts';
import type { EvaluationTurns } from './evaluation-turns.ts';
import { compileConditions } from './policy-conditions.ts';

export interface ValidatingPolicy {
  readonly composition: Composition;
  readonly conditions: readonly PolicyExpression[];
  readonly conditionScope: ExpressionScope;
  readonly validations: readonly Validation[];
  readonly annotations: readonly AuditAnnotation[];
}

interface Validation extends PolicyExpression {
  readonly message: string;
  /** Null: there is no messageExpression. */
  readonly computedMessage: PolicyExpression | null;
  readonly reason: string;
}

interface AuditAnnotation extends PolicyExpression {
  readonly key: string;
}

/** A failed validation, or an evaluation error of a policy with failurePolicy Fail. */
export interface Denial {
  /** The index of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

export interface Evaluation {
  readonly denials: readonly Denial[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Evaluation errors of audit annotations; each refuses the request. */
  readonly annotationProblems: readonly string[];
}

/** The limit for validations, and once more for audit annotations. */
const POLICY_COST_MAX = 10_000_000;
const MESSAGE_BYTES_MAX = 5 * 1024;
const ADMITTED: Evaluation = { denials: [], annotations: [], annotationProblems: [] };

export function compileValidatingPolicy(policy: JsonObject): ValidatingPolicy {
  const base = { hasParams: isGiven(valueAt(policy, 'spec.paramKind')), hasAuthorizer: true };
  const composition = composeVariables(objectsAt(policy, 'spec.variables'), base);
  const { scope } = composition;
  const compile = (text: string): PolicyExpression['compiled'] =>
    compileAdmissionExpression(text, scope, [BOOL]);
  return {
    composition,
    conditions: compileConditions(policy, base),
    conditionScope: base,
    validations: objectsAt(policy, 'spec.validations').map((validation) => {
      const text = readText(validation['expression']);
      return {
        text,
        compiled: compile(text),
        message: readText(validation['message']),
        computedMessage: compileMessage(readText(validation['messageExpression']), scope),
        reason: readText(validation['reason']) || 'Invalid',
      };
    }),
    annotations: objectsAt(policy, 'spec.auditAnnotations').map((annotation) => {
      const text = readText(annotation['valueExpression']);
      const compiled = compileAdmissionExpression(text, scope, [STRING, { kind: 'null' }]);
      return { key: readText(annotation['key']), text, compiled };
    }),
  };
}

function compileMessage(text: string, scope: ExpressionScope): PolicyExpression | null {
  if (text === '') return null;
  const seen = { ...scope, hasAuthorizer: false };
  return { text, compiled: compileAdmissionExpression(text, seen, [STRING]) };
}

interface Spending {
  /** The cost budget that all policies of the request share. */
  readonly request: Budget;
  readonly turns: EvaluationTurns;
}

/** `isIgnored`: evaluation errors are ignored (failurePolicy Ignore). */
export async function evaluateValidations(
  policy: ValidatingPolicy,
  input: ExpressionInput,
  isIgnored: boolean,
  spending: Spending,
): Promise<Evaluation> {
  const { request, turns } = spending;
  const failed = (message: string): Evaluation =>
    isIgnored ? ADMITTED : { ...ADMITTED, denials: [{ index: 0, message, reason: '' }] };
  const met = meetsConditions(policy.conditions, policy.conditionScope, input, request);
  if (typeof met !== 'boolean') return failed(met.problem);
  if (!met) return ADMITTED;
  try {
    const budget = new SharedBudget(POLICY_COST_MAX, request);
    const outcomes = await runAll(policy, policy.validations, input, budget, turns);
    const denials: Denial[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      denials.push(...denialOf(policy, index, outcome, input, budget, isIgnored));
      await turns.pass();
    }
    return { denials, ...(await annotationsOf(policy, input, isIgnored, spending)) };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failed(error.message);
  }
}

/** Evaluates variables once for all expressions. Throws OutOfBudget. */
async function runAll(
  { composition }: ValidatingPolicy,
  expressions: readonly PolicyExpression[],
  input: ExpressionInput,
  budget: Budget,
  turns: EvaluationTurns,
): Promise<readonly Outcome[]> {
  const complete = withVariables(input, composition, budget);
  const outcomes: Outcome[] = [];
  for (const one of expressions) {
    outcomes.push(runExpression(one, composition.scope, complete, budget));
    await turns.pass();
  }
  return outcomes;
}

function denialOf(
  policy: ValidatingPolicy,
  index: number,
  outcome: Outcome,
  input: ExpressionInput,
  budget: Budget,
  isIgnored: boolean,
): readonly Denial[] {
  const validation = policy.validations[index];
  if (isProblem(outcome)) {
    return isIgnored ? [] : [{ index, message: outcome.problem, reason: '' }];
  }
  if (!validation || outcome.value === true) return [];
  const { text, message, reason } = validation;
  try {
    const computed = computedMessageOf(policy, validation, input, budget);
    const said = computed || message.trim() || `failed expression: ${text.trim()}`;
    return [{ index, message: said, reason }];
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    const problem = `failed messageExpression: ${error.message}`;
    return isIgnored ? [] : [{ index, message: problem, reason: '' }];
  }
}

/** Empty: there is no message expression, or its result cannot be shown. Throws OutOfBudget. */
function computedMessageOf(
  { composition }: ValidatingPolicy,
  { computedMessage }: Validation,
  input: ExpressionInput,
  budget: Budget,
): string {
  if (!computedMessage) return '';
  const scope = { ...composition.scope, hasAuthorizer: false };
  const complete = withVariables(input, composition, budget);
  const outcome = runExpression(computedMessage, scope, complete, budget);
  if (isProblem(outcome) || typeof outcome.value !== 'string') return '';
  const message = outcome.value.trim();
  const isTooLong = Buffer.byteLength(message) > MESSAGE_BYTES_MAX;
  return isTooLong || message.includes('\n') ? '' : message;
}

async function annotationsOf(
  policy: ValidatingPolicy,
  input: ExpressionInput,
  isIgnored: boolean,
  { request, turns }: Spending,
): Promise<Pick<Evaluation, 'annotations' | 'annotationProblems'>> {
  const budget = new SharedBudget(POLICY_COST_MAX, request);
  const outcomes = await runAll(policy, policy.annotations, input, budget, turns);
  const annotations: (readonly [string, string])[] = [];
  const annotationProblems: string[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const { key = '' } = policy.annotations[index] ?? {};
    if (isProblem(outcome)) {
      if (!isIgnored) annotationProblems.push(outcome.problem);
      continue;
    }
    const value = valueOfAnnotation(outcome.value);
    if (value !== '') annotations.push([key, value]);
  }
  return { annotations, annotationProblems };
}

/** The type of the expression allows only strings and null. */
function valueOfAnnotation(value: CelValue): string {
  return typeof value === 'string' ? value.trim() : '';
}
