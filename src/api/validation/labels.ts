/** Validates labels, annotations and label selectors. */
import { checkLabelKey, checkLabelValue } from '../validation-names.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  tooLong,
  type FieldErrors,
} from './field-errors.ts';
import { readEntries, readObject, readObjects, readText, readTexts } from './json-reading.ts';
import type { Value } from './json-reading.ts';
import { validateQualifiedName } from './names.ts';

const ANNOTATIONS_BYTES_MAX = 256 * 1024;

export interface SelectorOptions {
  /** True: the object predates this check and may keep values that no label can have. */
  readonly allowsBadValues?: boolean;
}

export function* validateLabels(labels: Value, path: string): FieldErrors {
  for (const [key, value] of readEntries(labels)) {
    yield* validateQualifiedName(key, path);
    yield* invalidFor(path, readText(value), checkLabelValue(readText(value)));
  }
}

export function* validateAnnotations(annotations: Value, path: string): FieldErrors {
  let size = 0;
  for (const [key, value] of readEntries(annotations)) {
    yield* invalidFor(path, key, checkLabelKey(key.toLowerCase()));
    size += Buffer.byteLength(key) + Buffer.byteLength(readText(value));
  }
  if (size > ANNOTATIONS_BYTES_MAX) yield tooLong(path, ANNOTATIONS_BYTES_MAX);
}

export function* validateLabelSelector(
  value: Value,
  path: string,
  { allowsBadValues = false }: SelectorOptions = {},
): FieldErrors {
  const selector = readObject(value);
  if (!selector) return;
  yield* validateLabels(selector['matchLabels'], `${path}.matchLabels`);
  for (const [index, expression] of readObjects(selector['matchExpressions']).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const values = readTexts(expression['values']);
    yield* validateOperator(readText(expression['operator']), values, at);
    yield* validateQualifiedName(readText(expression['key']), `${at}.key`);
    if (!allowsBadValues) yield* validateLabelValues(values, `${at}.values`);
  }
}

export function* validateLabelValues(values: readonly string[], path: string): FieldErrors {
  for (const [index, value] of values.entries()) {
    yield* invalidFor(`${path}[${index}]`, value, checkLabelValue(value));
  }
}

/** Checks how many values an operator takes. */
function* validateOperator(operator: string, values: readonly string[], path: string): FieldErrors {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return;
    yield required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return;
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    yield forbiddenField(`${path}.values`, detail);
  } else {
    yield invalidField(`${path}.operator`, operator, 'not a valid selector operator');
  }
}
