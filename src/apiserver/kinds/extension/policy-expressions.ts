/** Validates one expression of a policy: it must compile to one of the types that its field accepts. */
import type { CelType } from '../../../cel/cel.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { compileAdmissionExpression, isFaulty } from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';

/** `compiled`: the trimmed text, where kube-apiserver compiles that. */
export function* checkExpression(
  text: string,
  scope: ExpressionScope,
  wanted: readonly CelType[],
  path: string,
  compiled = text,
): FieldErrors {
  const result = compileAdmissionExpression(compiled, scope, wanted);
  if (isFaulty(result)) yield invalidField(path, text, result.fault);
}
