/** Validates tolerations. */
import { checkLabelValue } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readObjects, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateQualifiedName } from '../../validation/names.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];
/** Operators that are off by default in 1.36; a pod that has them may keep them. */
const COMPARISONS = ['Lt', 'Gt'];

export function* validateTolerations(
  tolerations: Value,
  path: string,
  allowsComparisons = false,
): FieldErrors {
  for (const [index, toleration] of readObjects(tolerations).entries()) {
    yield* validateToleration(toleration, `${path}[${index}]`, allowsComparisons);
  }
}

export function hasComparisons(tolerations: Value): boolean {
  return readObjects(tolerations).some(({ operator }) => COMPARISONS.includes(readText(operator)));
}

function* validateToleration(
  toleration: JsonObject,
  path: string,
  allowsComparisons: boolean,
): FieldErrors {
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) =>
    readText(toleration[name]),
  );
  if (key) yield* validateQualifiedName(key, `${path}.key`);
  else if (operator !== 'Exists') {
    const detail =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    yield invalidField(`${path}.operator`, operator, detail);
  }
  if (isGiven(toleration['tolerationSeconds']) && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    yield invalidField(`${path}.effect`, effect, detail);
  }
  if (allowsComparisons && COMPARISONS.includes(operator ?? '')) {
    yield* invalidFor(`${path}.value`, value, checkComparable(value ?? ''));
  } else {
    yield* validateOperator(operator ?? '', value ?? '', `${path}.operator`);
  }
  if (effect && !EFFECTS.includes(effect)) yield unsupported(`${path}.effect`, effect, EFFECTS);
}

/** The API reports an invalid value under the field operator. */
function* validateOperator(operator: string, value: string, field: string): FieldErrors {
  if (operator === '' || operator === 'Equal') {
    const sentences = checkLabelValue(value);
    if (sentences.length > 0) yield invalidField(field, value, sentences.join(';'));
  } else if (operator === 'Exists') {
    if (value !== '')
      yield invalidField(field, value, "value must be empty when `operator` is 'Exists'");
  } else {
    const isComparison = COMPARISONS.includes(operator);
    const supported = isComparison ? [...OPERATORS, ...COMPARISONS] : OPERATORS;
    yield unsupported(field, operator, supported);
  }
}

/** The value must be a 64-bit integer. The second message is that of Go's parser. */
function checkComparable(value: string): readonly string[] {
  const quoted = JSON.stringify(value);
  const cannotRead = `strconv.ParseInt: parsing ${quoted}:`;
  if (value === '') return ['must be non-empty', `${cannotRead} invalid syntax`];
  const isNumber = /^[-+]?\d+$/.test(value);
  const isCanonical = /^(?:0|-?[1-9]\d*)$/.test(value);
  const fits = isNumber && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
  return [
    ...(isCanonical ? [] : ['must be a valid decimal integer in canonical form']),
    ...(isNumber ? [] : [`${cannotRead} invalid syntax`]),
    ...(isNumber && !fits ? [`${cannotRead} value out of range`] : []),
  ];
}
