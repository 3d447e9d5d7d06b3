/** Compares numbers, booleans, strings, bytes, timestamps and durations, for `<`, `sort` and the like. */
import { noSuchOverload } from '../fault.ts';
import { Duration, isNumber, plainNumber, Timestamp, type CelValue } from '../value.ts';

export function compareValues(a: CelValue, b: CelValue): number {
  if (isNumber(a) && isNumber(b)) return order(plainNumber(a), plainNumber(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload();
}

function order(a: bigint | number, b: bigint | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Compares by code points, which is the order of UTF-8 bytes. JavaScript's own comparison is by UTF-16 units.
 */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
