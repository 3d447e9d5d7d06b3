/** Amounts in objects that may hold anything: read if they can be, and judged. */
import {
  compareQuantities,
  quantityMilliValue,
  signOfQuantity,
  ZERO_QUANTITY,
  type Quantity,
} from '../../../api/quantity.ts';
import { formatQuantity, readQuantity } from '../../../api/quantity-text.ts';
import { invalid, type Complaints } from './complaint.ts';
import { readEntries } from './json-reading.ts';
import type { Value } from './json-reading.ts';

/** Reads an amount; what cannot be read is nothing. The decoder refuses such texts before. */
export function readAmount(value: Value): Quantity {
  if (typeof value !== 'string' && typeof value !== 'number') return ZERO_QUANTITY;
  try {
    return readQuantity(value);
  } catch {
    return ZERO_QUANTITY;
  }
}

/** A list of resources by name, in the order of the names. */
export function readAmounts(list: Value): ReadonlyMap<string, Quantity> {
  return new Map(readEntries(list).map(([name, amount]) => [name, readAmount(amount)]));
}

export function printAmount(value: Value): string {
  return formatQuantity(readAmount(value));
}

export function* validateNotNegative(amount: Quantity, path: string): Complaints {
  if (signOfQuantity(amount) >= 0) return;
  yield invalid(path, formatQuantity(amount), 'must be greater than or equal to 0');
}

export function* validatePositive(amount: Quantity, path: string): Complaints {
  if (compareQuantities(amount, ZERO_QUANTITY) > 0) return;
  yield invalid(path, formatQuantity(amount), 'must be greater than zero');
}

export function isWhole(amount: Quantity): boolean {
  return quantityMilliValue(amount) % 1000n === 0n;
}
