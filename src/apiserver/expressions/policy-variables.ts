/**
 * Compiles and evaluates the variables of a policy: named expressions, which later expressions read as
 * `variables.name`.
 *
 * A variable is evaluated when it is first read, once for each group of expressions, and its cost is charged
 * to the request. A variable that no expression reads costs nothing.
 */
import {
  CelError,
  DYN,
  ObjectValue,
  type Budget,
  type CelType,
  type CelValue,
} from '../../cel/cel.ts';
import { readText } from '../../api/validation/json-reading.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  compileAdmissionExpression,
  evaluate,
  isFaulty,
  type ExpressionInput,
} from './admission-expression.ts';
import type { ExpressionScope } from './admission-types.ts';
import { charge, expressionBudget, OutOfBudget, type PolicyExpression } from './expression-run.ts';

export interface PolicyVariable extends PolicyExpression {
  readonly name: string;
}

export interface Composition {
  /** In order: each may read only earlier ones. */
  readonly variables: readonly PolicyVariable[];
  /** The scope of expressions after all variables. */
  readonly scope: ExpressionScope;
}

/** `spec`: the policy's `spec.variables`. */
export function composeVariables(
  spec: readonly JsonObject[],
  base: Omit<ExpressionScope, 'variables'>,
): Composition {
  const types = new Map<string, CelType>();
  const variables = spec.map((variable) => {
    const [name, text] = [readText(variable['name']), readText(variable['expression'])];
    const compiled = compileAdmissionExpression(text, { ...base, variables: new Map(types) });
    types.set(name, isFaulty(compiled) ? DYN : declared(compiled.type));
    return { name, text, compiled };
  });
  return { variables, scope: { ...base, variables: types } };
}

const DECLARED: ReadonlySet<CelType['kind']> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'null',
  'string',
  'timestamp',
  'uint',
]);

/** Types of Kubernetes' own CEL libraries are known only at run time. */
function declared(type: CelType): CelType {
  if (type.kind === 'list') return { kind: 'list', item: declared(type.item) };
  if (type.kind === 'map') {
    return { kind: 'map', key: declared(type.key), value: declared(type.value) };
  }
  return DECLARED.has(type.kind) ? type : DYN;
}

/** The input with the variable `variables`, whose cost is charged to `total`. */
export function withVariables(
  input: ExpressionInput,
  { variables, scope }: Composition,
  total: Budget,
): ExpressionInput {
  // Failures are cached, too: otherwise a chain of variables that each read the previous one twice would take
  // exponential time.
  const known = new Map<string, VariableOutcome>();
  const byName = new Map(variables.map((one) => [one.name, one]));
  const complete: ExpressionInput = {
    ...input,
    variables: new ObjectValue(Object.fromEntries(variables.map(({ name }) => [name, true])), {
      has: (name) => byName.has(name),
      read: (name) => {
        const variable = byName.get(name);
        if (!variable) return undefined;
        const outcome =
          known.get(name) ?? outcomeOf(() => computed(variable, scope, complete, total));
        known.set(name, outcome);
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      },
    }),
  };
  return complete;
}

type VariableOutcome = { readonly value: CelValue } | { readonly error: CelError };

function outcomeOf(compute: () => CelValue): VariableOutcome {
  try {
    return { value: compute() };
  } catch (error) {
    if (error instanceof CelError && !(error instanceof OutOfBudget)) return { error };
    throw error;
  }
}

function computed(
  { name, compiled }: PolicyVariable,
  scope: ExpressionScope,
  input: ExpressionInput,
  total: Budget,
): CelValue {
  const what = `composited variable ${JSON.stringify(name)} fails to`;
  if (isFaulty(compiled)) throw new CelError(`${what} compile: ${compiled.fault}`);
  const own = expressionBudget(total);
  try {
    const value = evaluate(compiled, scope, input, own);
    charge(total, own);
    return value;
  } catch (error) {
    if (!(error instanceof CelError) || error instanceof OutOfBudget) throw error;
    charge(total, own);
    throw new CelError(`${what} evaluate: ${error.message}`);
  }
}
