/** Validates required fields, and fields with a few supported values. */
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../objects/field-path.ts';
import { required, unsupported, type FieldErrors } from '../../api/validation/field-errors.ts';
import { isGiven, readText } from '../../api/validation/json-reading.ts';

export function* validateRequired(object: JsonObject, paths: readonly string[]): FieldErrors {
  for (const path of paths) {
    const value = valueAt(object, path);
    const isEmpty = !isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0);
    if (isEmpty) yield required(path);
  }
}

/** Checks the field only if it is set. */
export function* validateOneOf(
  object: JsonObject,
  path: string,
  supported: readonly string[],
): FieldErrors {
  const value = valueAt(object, path);
  if (!isGiven(value) || supported.includes(readText(value))) return;
  yield unsupported(path, value, supported);
}
