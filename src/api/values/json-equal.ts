/**
 * Compares two JSON values for equality.
 *
 * Objects are compared by their own keys in any order, lists in order. Parts that both sides share are
 * skipped by one pointer comparison, so comparing an object with its updated version costs as much as the
 * change. It uses an explicit stack instead of recursion, so that deep nesting cannot overflow the call
 * stack.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';

export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  const pairs: Json[] = [left, right];
  while (pairs.length > 0) {
    const b = pairs.pop();
    const a = pairs.pop();
    if (a === b) continue;
    if (a === undefined || b === undefined) return false;
    if (!pushParts(a, b, pairs)) return false;
  }
  return true;
}

/** Pushes the parts that remain to be compared. False: the two already differ. */
function pushParts(a: Json, b: Json, pairs: Json[]): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && pushElements(a, b, pairs);
  if (!isJsonObject(a) || !isJsonObject(b)) return isSameInteger(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    // Inherited members do not count: `constructor` is a key like any other.
    if (!Object.hasOwn(b, key)) return false;
    if (!pushPair(a[key], b[key], pairs)) return false;
  }
  return true;
}

function pushElements(a: readonly Json[], b: readonly Json[], pairs: Json[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!pushPair(a[index], b[index], pairs)) return false;
  }
  return true;
}

/** Scalars are compared immediately; only objects and lists are pushed. */
function pushPair(a: Json | undefined, b: Json | undefined, pairs: Json[]): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return isSameInteger(a, b);
  }
  pairs.push(a, b);
  return true;
}

/**
 * A double with an integer value equals the bigint of the same value: a number that was sent with a point or
 * an exponent comes back from the store as an integer.
 */
function isSameInteger(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  return typeof b === 'bigint' && typeof a === 'number' && isSameInteger(b, a);
}
