/** Reads and validates quantities in unvalidated objects. */
import {
  compareQuantities,
  quantityMilliValue,
  signOfQuantity,
  ZERO_QUANTITY,
  type Quantity,
} from '../values/quantity.ts';
import { formatQuantity, readQuantity } from '../values/quantity-text.ts';
import { invalidField, type FieldErrors } from './field-errors.ts';
import { readEntries } from './json-reading.ts';
import type { Value } from './json-reading.ts';

/** An invalid quantity reads as zero; the decoder refuses such texts before. */
export function readAmount(value: Value): Quantity {
  if (typeof value !== 'string' && typeof value !== 'number') return ZERO_QUANTITY;
  try {
    return readQuantity(value);
  } catch {
    return ZERO_QUANTITY;
  }
}

/** A resource list, sorted by name. */
export function readAmounts(list: Value): ReadonlyMap<string, Quantity> {
  return new Map(readEntries(list).map(([name, amount]) => [name, readAmount(amount)]));
}

export function printAmount(value: Value): string {
  return formatQuantity(readAmount(value));
}

export function* validateNotNegative(amount: Quantity, path: string): FieldErrors {
  if (signOfQuantity(amount) >= 0) return;
  yield invalidField(path, formatQuantity(amount), 'must be greater than or equal to 0');
}

export function* validatePositive(amount: Quantity, path: string): FieldErrors {
  if (compareQuantities(amount, ZERO_QUANTITY) > 0) return;
  yield invalidField(path, formatQuantity(amount), 'must be greater than zero');
}

export function isWhole(amount: Quantity): boolean {
  return quantityMilliValue(amount) % 1000n === 0n;
}
