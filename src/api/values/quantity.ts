/**
 * Quantities: exact amounts of cpu, memory and other resources.
 *
 * An amount is a whole number of billionths in a bigint, because nano is the finest step that Kubernetes
 * has. So sums, differences and comparisons are those of integers: nothing is rounded, nothing
 * overflows, and two equal amounts have equal `nanos`.
 *
 * The format records how the amount was written, so that 1536Mi is not shown as 1610612736. It does not
 * count in comparisons. `quantity-text.ts` reads and writes the text.
 */
import { assert } from '../../lib/assert.ts';

/** How the text looks: 12M, 12Mi or 12e6. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** The amount in billionths. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANOS_PER_UNIT = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;

export const ZERO_QUANTITY: Quantity = { nanos: 0n, format: 'DecimalSI' };

export function quantityFromInteger(
  units: bigint | number,
  format: QuantityFormat = 'DecimalSI',
): Quantity {
  return { nanos: toBigInt(units) * NANOS_PER_UNIT, format };
}

export function quantityFromMilli(
  millis: bigint | number,
  format: QuantityFormat = 'DecimalSI',
): Quantity {
  return { nanos: toBigInt(millis) * NANOS_PER_MILLI, format };
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum, in the format of `a`, or in that of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  if (a.nanos === 0n) return b;
  return b.nanos === 0n ? a : { nanos: a.nanos + b.nanos, format: a.format };
}

/** The difference, with the same rule for formats as the sum. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  if (a.nanos === 0n) return negateQuantity(b);
  return b.nanos === 0n ? a : { nanos: a.nanos - b.nanos, format: a.format };
}

export function negateQuantity(quantity: Quantity): Quantity {
  return quantity.nanos === 0n ? quantity : { ...quantity, nanos: -quantity.nanos };
}

export function multiplyQuantity(quantity: Quantity, factor: bigint | number): Quantity {
  const nanos = quantity.nanos * toBigInt(factor);
  return nanos === quantity.nanos ? quantity : { ...quantity, nanos };
}

export function isZeroQuantity(quantity: Quantity): boolean {
  return quantity.nanos === 0n;
}

export function signOfQuantity(quantity: Quantity): -1 | 0 | 1 {
  if (quantity.nanos === 0n) return 0;
  return quantity.nanos < 0n ? -1 : 1;
}

/** The amount in whole units, rounded away from zero: half a byte needs a byte. */
export function quantityValue(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANOS_PER_UNIT);
}

/** The amount in thousandths, rounded away from zero. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANOS_PER_MILLI);
}

/** Divides by a positive divisor and rounds away from zero. */
export function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  if (whole * divisor === dividend) return whole;
  return dividend < 0n ? whole - 1n : whole + 1n;
}

function toBigInt(integer: bigint | number): bigint {
  if (typeof integer === 'bigint') return integer;
  assert(Number.isSafeInteger(integer), `${integer} is not an integer that a number can hold`);
  return BigInt(integer);
}
