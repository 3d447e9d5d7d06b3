/** The operators of CEL: arithmetic, comparison, membership, index. */
import { CelError } from '../fault.ts';
import { overload, type Overload, type Run } from '../overload.ts';
import { itemOf } from '../items.ts';
import { isEqual, ListValue, MapValue, printKey, Uint, type CelValue } from '../value.ts';
import { bool, bytes, double, int, items, list, text } from './arguments.ts';
import { compareValues } from './ordering.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

export function checkInt(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new CelError('integer overflow');
  return value;
}

export function checkUint(value: bigint): Uint {
  if (value < 0n || value > UINT_MAX) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

function uint(value: CelValue | undefined): bigint {
  return value instanceof Uint ? value.value : int(value);
}

type Arithmetic = (a: bigint, b: bigint) => bigint;

function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('division by zero');
  return a / b;
}

function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('modulus by zero');
  return a % b;
}

const WHOLE: readonly (readonly [string, Arithmetic])[] = [
  ['_+_', (a, b) => a + b],
  ['_-_', (a, b) => a - b],
  ['_*_', (a, b) => a * b],
  ['_/_', divide],
  ['_%_', remainder],
];

const FRACTIONS: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ['_+_', (a, b) => a + b],
  ['_-_', (a, b) => a - b],
  ['_*_', (a, b) => a * b],
  ['_/_', (a, b) => a / b],
];

function* arithmetic(): Iterable<Overload> {
  for (const [sign, run] of WHOLE) {
    yield overload(`${sign}(int, int): int`, ([a, b]) => checkInt(run(int(a), int(b))));
    yield overload(`${sign}(uint, uint): uint`, ([a, b]) => checkUint(run(uint(a), uint(b))));
  }
  for (const [sign, run] of FRACTIONS) {
    yield overload(`${sign}(double, double): double`, ([a, b]) => run(double(a), double(b)));
  }
  yield overload('-_(int): int', ([a]) => checkInt(-int(a)));
  yield overload('-_(double): double', ([a]) => -double(a));
  yield overload('!_(bool): bool', ([a]) => !bool(a));
}

function* sums(): Iterable<Overload> {
  yield overload('_+_(string, string): string', ([a, b], budget) => {
    budget.walk(text(a).length + text(b).length);
    return text(a) + text(b);
  });
  yield overload('_+_(bytes, bytes): bytes', ([a, b], budget) => {
    budget.walk(bytes(a).length + bytes(b).length);
    return Buffer.concat([bytes(a), bytes(b)]);
  });
  yield overload('_+_(list<T>, list<T>): list<T>', ([a, b], budget) => {
    budget.walk(items(a).length + items(b).length);
    return addLists(list(a), list(b));
  });
}

/** Lists of type set or map add only new items; in a map, an item replaces the one with the same key. */
function addLists(a: ListValue, b: ListValue): ListValue {
  const { keyOf } = a;
  if (!keyOf) return new ListValue([...a.items, ...b.items]);
  const merged = new Map(a.items.map((item) => [keyOf(item), item]));
  for (const item of b.items) merged.set(keyOf(item), item);
  return new ListValue([...merged.values()], keyOf);
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];
const COMPARISONS: readonly (readonly [string, (order: number) => boolean])[] = [
  ['_<_', (order) => order < 0],
  ['_<=_', (order) => order <= 0],
  ['_>_', (order) => order > 0],
  ['_>=_', (order) => order >= 0],
];

function* comparisons(): Iterable<Overload> {
  for (const [sign, holds] of COMPARISONS) {
    const run: Run = ([a = null, b = null], budget) => {
      if (typeof a === 'string') budget.walk(a.length);
      // NaN is neither less nor greater than anything.
      if (Number.isNaN(a) || Number.isNaN(b)) return false;
      return holds(compareValues(a, b));
    };
    for (const type of ORDERED) yield overload(`${sign}(${type}, ${type}): bool`, run);
    for (const left of NUMBERS) {
      for (const right of NUMBERS) {
        if (left !== right) yield overload(`${sign}(${left}, ${right}): bool`, run);
      }
    }
  }
  yield overload('_==_(T, T): bool', ([a = null, b = null], budget) => {
    budget.walk(sizeOf(a));
    return isEqual(a, b);
  });
  yield overload('_!=_(T, T): bool', ([a = null, b = null], budget) => {
    budget.walk(sizeOf(a));
    return !isEqual(a, b);
  });
}

function sizeOf(value: CelValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue) return value.items.length * 10;
  return value instanceof MapValue ? value.size * 10 : 0;
}

function* membership(): Iterable<Overload> {
  yield overload('@in(T, list<T>): bool', ([wanted = null, all], budget) => {
    budget.spend(items(all).length);
    return items(all).some((item) => isEqual(item, wanted));
  });
  yield overload('@in(K, map<K, V>): bool', ([wanted = null, all]) =>
    all instanceof MapValue ? all.get(wanted) !== undefined : false,
  );
  yield overload('_[_](list<T>, int): T', ([all = null, index = null]) => {
    const found = itemOf(all, index);
    if (found === undefined) throw new CelError(`index out of bounds: ${printKey(index)}`);
    return found;
  });
  yield overload('_[_](map<K, V>, K): V', ([all = null, key = null]) => {
    const found = itemOf(all, key);
    if (found === undefined) throw new CelError(`no such key: ${printKey(key)}`);
    return found;
  });
}

export const operators: readonly Overload[] = [
  ...arithmetic(),
  ...sums(),
  ...comparisons(),
  ...membership(),
];
