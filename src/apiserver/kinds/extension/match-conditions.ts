/** Validates match conditions of webhooks and policies: named CEL expressions, which must compile. */
import type { JsonObject } from '../../../lib/json.ts';
import { BOOL } from '../../../cel/cel.ts';
import {
  duplicate,
  invalidField,
  invalidFor,
  required,
  tooMany,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { checkLabelKey } from '../../../api/validation-names.ts';
import { compileAdmissionExpression, isFaulty } from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';

const CONDITIONS_MAX = 64;

export function* checkMatchConditions(
  conditions: readonly JsonObject[],
  path: string,
  scope: ExpressionScope,
): FieldErrors {
  if (conditions.length > CONDITIONS_MAX) yield tooMany(path, conditions.length, CONDITIONS_MAX);
  const names = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const field = `${path}[${index}]`;
    const text = readText(condition['expression']).trim();
    const name = readText(condition['name']);
    if (text === '') yield required(`${field}.expression`);
    else {
      const compiled = compileAdmissionExpression(text, scope, [BOOL]);
      if (isFaulty(compiled)) yield invalidField(`${field}.expression`, text, compiled.fault);
    }
    if (name === '') yield required(`${field}.name`);
    else yield* invalidFor(`${field}.name`, name, checkLabelKey(name));
    if (names.has(name)) yield duplicate(`${field}.name`, name);
    if (name !== '') names.add(name);
  }
}
