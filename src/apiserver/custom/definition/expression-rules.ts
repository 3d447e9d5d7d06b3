/** Compiles the rules of one node of a schema, and tells of those that cannot be. */
import { invalid, type Complaints } from '../../kinds/validation/complaint.ts';
import type { FieldError } from '../../field-error.ts';
import { readObjects } from '../../kinds/validation/json-reading.ts';
import { compileRules, type CompiledRule } from '../cel/compiled-rule.ts';
import type { Schema } from '../schema.ts';
import { internalRule } from './internal-form.ts';

/** `uncorrelated`: below which there is no telling what a value was before; empty: there is. */
export function validateExpressions(
  schema: Schema,
  place: string,
  isRoot: boolean,
  uncorrelated: string,
): readonly FieldError[] {
  const sources = readObjects(schema.source['x-kubernetes-validations']);
  return compileRules(schema, isRoot).flatMap((rule, index) => {
    const at = `${place}.x-kubernetes-validations[${index}]`;
    return [...validateRule(rule, internalRule(sources[index] ?? {}), at, uncorrelated)];
  });
}

function* validateRule(
  rule: CompiledRule,
  shown: unknown,
  place: string,
  uncorrelated: string,
): Complaints {
  const { text, fault, messageFault, usesOldSelf } = rule;
  if (fault !== undefined) yield invalid(`${place}.rule`, shown, fault);
  if (messageFault !== undefined) {
    yield invalid(`${place}.messageExpression`, shown, messageFault);
  }
  if (usesOldSelf && uncorrelated !== '') {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    yield invalid(`${place}.rule`, text.rule, detail);
  }
  if (!usesOldSelf && text.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    yield invalid(`${place}.optionalOldSelf`, text.optionalOldSelf, detail);
  }
}
