/** Compiles the CEL rules of one schema node, and reports those that do not compile. */
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { readObjects } from '../../../api/validation/json-reading.ts';
import { compileRules, type CompiledRule } from '../../schema/rules/compiled-rule.ts';
import type { Schema } from '../../schema/schema.ts';
import { internalRule } from './internal-form.ts';

/** `uncorrelated`: the path below which old values cannot be matched; empty: they can. */
export function validateExpressions(
  schema: Schema,
  fieldPath: string,
  isRoot: boolean,
  uncorrelated: string,
): readonly FieldError[] {
  const sources = readObjects(schema.source['x-kubernetes-validations']);
  return compileRules(schema, isRoot).flatMap((rule, index) => {
    const at = `${fieldPath}.x-kubernetes-validations[${index}]`;
    return [...validateRule(rule, internalRule(sources[index] ?? {}), at, uncorrelated)];
  });
}

function* validateRule(
  rule: CompiledRule,
  shown: unknown,
  fieldPath: string,
  uncorrelated: string,
): FieldErrors {
  const { text, fault, messageFault, usesOldSelf } = rule;
  if (fault !== undefined) yield invalidField(`${fieldPath}.rule`, shown, fault);
  if (messageFault !== undefined) {
    yield invalidField(`${fieldPath}.messageExpression`, shown, messageFault);
  }
  if (usesOldSelf && uncorrelated !== '') {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    yield invalidField(`${fieldPath}.rule`, text.rule, detail);
  }
  if (!usesOldSelf && text.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    yield invalidField(`${fieldPath}.optionalOldSelf`, text.optionalOldSelf, detail);
  }
}
