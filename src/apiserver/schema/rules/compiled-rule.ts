/** Compiles the CEL rules of one schema node. They are compiled once for each schema. */
import {
  CelFailure,
  CelFault,
  compileProgram,
  FaultList,
  type CelType,
  type Program,
} from '../../../cel/cel.ts';
import { walkFieldPath } from '../rule-field-path.ts';
import type { RuleText, Schema } from '../schema.ts';
import { declaredType } from './declared-type.ts';

export interface CompiledRule {
  readonly text: RuleText;
  /** Absent: the rule is empty or does not compile. */
  readonly program: Program | undefined;
  readonly fault: string | undefined;
  readonly message: Program | undefined;
  readonly messageFault: string | undefined;
  readonly usesOldSelf: boolean;
  /** The field at which a failure is reported, relative to the value. Empty: the value itself. */
  readonly fieldPath: string;
}

const compiled = new WeakMap<Schema, readonly CompiledRule[]>();

export function compileRules(schema: Schema, isResource: boolean): readonly CompiledRule[] {
  if (schema.rules.length === 0) return [];
  const found = compiled.get(schema);
  if (found) return found;
  const type = declaredType(schema, isResource);
  const rules = schema.rules.map((text) => compileRule(text, schema, type));
  compiled.set(schema, rules);
  return rules;
}

function compileRule(text: RuleText, schema: Schema, type: CelType | undefined): CompiledRule {
  const path = text.fieldPath === '' ? undefined : walkFieldPath(text.fieldPath, schema);
  const fieldPath = path && !('fault' in path) ? path.fieldPath : '';
  const none = { program: undefined, message: undefined, messageFault: undefined };
  if (text.rule.trim() === '') {
    return { text, ...none, fault: undefined, usesOldSelf: false, fieldPath };
  }
  const variables = variablesOf(type, text.optionalOldSelf ?? false);
  const rule = tryCompile(text.rule, variables, 'bool', '');
  if (typeof rule === 'string')
    return { text, ...none, fault: rule, usesOldSelf: false, fieldPath };
  const message =
    text.messageExpression === ''
      ? undefined
      : tryCompile(text.messageExpression, variables, 'string', 'messageExpression ');
  return {
    text,
    program: rule,
    fault: undefined,
    message: typeof message === 'string' ? undefined : message,
    messageFault: typeof message === 'string' ? message : undefined,
    usesOldSelf: rule.uses.has('oldSelf'),
    fieldPath,
  };
}

function variablesOf(type: CelType | undefined, isOptional: boolean): ReadonlyMap<string, CelType> {
  const self: CelType = type ?? { kind: 'dyn' };
  const oldSelf: CelType = isOptional ? { kind: 'optional', value: self } : self;
  return new Map([
    ['self', self],
    ['oldSelf', oldSelf],
  ]);
}

/** A string: why the rule does not compile. */
function tryCompile(
  text: string,
  variables: ReadonlyMap<string, CelType>,
  wanted: 'bool' | 'string',
  what: string,
): Program | string {
  try {
    const program = compileProgram(text, variables);
    if (program.type.kind === wanted) return program;
    return what === ''
      ? `cel expression must evaluate to a ${wanted}`
      : `${what}must evaluate to a ${wanted}`;
  } catch (error) {
    const isFault = error instanceof CelFault || error instanceof FaultList;
    if (isFault) return `${what}compilation failed: ${error.message}`;
    if (!(error instanceof CelFailure)) throw error;
    const program = what === '' ? 'program ' : what;
    return `${program}instantiation failed: ${error.message}`;
  }
}
