/** Validates counters and immutable fields. */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { valueAt } from '../objects/field-path.ts';
import { invalidField, type FieldErrors } from '../../api/validation/field-errors.ts';
import { isGiven } from '../../api/validation/json-reading.ts';

const NEGATIVE = 'must be greater than or equal to 0';
export const IMMUTABLE = 'field is immutable';

export function* validateNotBelowZero(object: JsonObject, paths: readonly string[]): FieldErrors {
  for (const path of paths) {
    const value = valueAt(object, path);
    if (isNumber(value) && value < 0) yield invalidField(path, value, NEGATIVE);
  }
}

/** A partial count cannot exceed the total. */
export function* validateAtMost(
  object: JsonObject,
  path: string,
  limitPath: string,
  limitName = limitPath,
): FieldErrors {
  const value = valueAt(object, path) ?? 0;
  const limit = valueAt(object, limitPath) ?? 0;
  if (!isNumber(value) || !isNumber(limit) || value <= limit) return;
  yield invalidField(path, value, `cannot be greater than ${limitName}`);
}

export function* validateUnchanged(
  object: JsonObject,
  old: JsonObject,
  paths: readonly string[],
): FieldErrors {
  for (const path of paths) {
    const [now, before] = [valueAt(object, path) ?? null, valueAt(old, path) ?? null];
    if (!jsonEqual(now, before)) yield invalidField(path, now, IMMUTABLE);
  }
}

/** The counter must not decrease. */
export function* validateNotDecremented(
  object: JsonObject,
  old: JsonObject,
  path: string,
): FieldErrors {
  const before = valueAt(old, path);
  const now = valueAt(object, path);
  if (!isNumber(before)) return;
  const value = isNumber(now) ? now : 0;
  if (!isGiven(now) || value < before) yield invalidField(path, value, 'cannot be decremented');
}

function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
