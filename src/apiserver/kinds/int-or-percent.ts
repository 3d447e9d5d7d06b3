/** Validates numbers of pods that are absolute or a percentage: `3` or `"25%"`. */
import { invalidField, type FieldErrors } from '../../api/validation/field-errors.ts';
import type { Value } from '../../api/validation/json-reading.ts';

const PERCENT = /^[0-9]+%$/;
const NOT_A_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function* validateIntOrPercent(value: Value, field: string): FieldErrors {
  if (typeof value === 'string') {
    if (!PERCENT.test(value)) yield invalidField(field, value, NOT_A_PERCENT);
  } else if (typeof value === 'number' && value < 0) {
    yield invalidField(field, value, 'must be greater than or equal to 0');
  }
}

export function* validateAtMostAll(value: Value, field: string): FieldErrors {
  if (typeof value !== 'string' || !PERCENT.test(value) || Number.parseInt(value, 10) <= 100)
    return;
  yield invalidField(field, value, 'must not be greater than 100%');
}

/** The number, or the number of percent. Zero if invalid. */
export function amountOf(value: Value): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? Number.parseInt(value, 10) || 0 : 0;
}
