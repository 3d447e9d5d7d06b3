/** Compiles the matchConditions of a policy. */
import { BOOL } from '../../../cel/cel.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { compileAdmissionExpression } from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';
import type { PolicyExpression } from '../../expressions/expression-run.ts';
import { objectsAt } from '../../objects/field-path.ts';

export function compileConditions(
  policy: JsonObject,
  scope: ExpressionScope,
): readonly PolicyExpression[] {
  return objectsAt(policy, 'spec.matchConditions').map((condition) => {
    const text = readText(condition['expression']);
    return { text, compiled: compileAdmissionExpression(text, scope, [BOOL]) };
  });
}
