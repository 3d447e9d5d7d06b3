/**
 * Functions on lists and sets: `sum`, `min`, `max`, `sort`, `slice`, `flatten`, `sets.intersects` and the
 * like.
 */
import { CelError, noSuchOverload, type Budget } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Duration, isEqual, ListValue, OptionalValue, Uint, type CelValue } from '../value.ts';
import { bool, int, items } from './arguments.ts';
import { checkInt, checkUint } from './operators.ts';
import { compareValues } from './ordering.ts';

function isSorted(all: readonly CelValue[]): boolean {
  return all.every(
    (item, index) => index === 0 || compareValues(all[index - 1] ?? null, item) <= 0,
  );
}

function sumOf(all: readonly CelValue[], zero: CelValue): CelValue {
  return all.reduce<CelValue>((sum, item) => {
    if (typeof sum === 'bigint' && typeof item === 'bigint') return checkInt(sum + item);
    if (typeof sum === 'number' && typeof item === 'number') return sum + item;
    if (sum instanceof Uint && item instanceof Uint) return checkUint(sum.value + item.value);
    if (sum instanceof Duration && item instanceof Duration) {
      return new Duration(sum.nanos + item.nanos);
    }
    throw noSuchOverload();
  }, zero);
}

const ZEROES: readonly (readonly [string, CelValue])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

function extreme(all: readonly CelValue[], name: string, sign: number): CelValue {
  const [first, ...rest] = all;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return rest.reduce((best, item) => (compareValues(item, best) * sign > 0 ? item : best), first);
}

const ORDERED = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function overItems(
  signature: string,
  run: (all: readonly CelValue[], ...rest: CelValue[]) => CelValue,
): Overload {
  return overload(signature, ([all, ...rest], budget) => {
    budget.spend(items(all).length);
    return run(items(all), ...rest);
  });
}

const ordered: readonly Overload[] = ORDERED.flatMap((type) => [
  overItems(`list<${type}>.isSorted(): bool`, isSorted),
  overItems(`list<${type}>.min(): ${type}`, (all) => extreme(all, 'min', -1)),
  overItems(`list<${type}>.max(): ${type}`, (all) => extreme(all, 'max', 1)),
  overload(`list<${type}>.sort(): list<${type}>`, ([all], budget) => {
    budget.spend(items(all).length * 5);
    return new ListValue(items(all).toSorted(compareValues));
  }),
]);

const places: readonly Overload[] = [
  overItems('list<T>.indexOf(T): int', (all, wanted = null) =>
    BigInt(all.findIndex((item) => isEqual(item, wanted))),
  ),
  overItems('list<T>.lastIndexOf(T): int', (all, wanted = null) =>
    BigInt(all.findLastIndex((item) => isEqual(item, wanted))),
  ),
  overItems('list<T>.slice(int, int): list<T>', (all, from, to) => slice(all, int(from), int(to))),
  overItems('list<T>.reverse(): list<T>', (all) => new ListValue(all.toReversed())),
  overItems('list<T>.first(): optional<T>', (all) => new OptionalValue(all[0])),
  overItems('list<T>.last(): optional<T>', (all) => new OptionalValue(all.at(-1))),
  overload('list<T>.distinct(): list<T>', ([all], budget) => distinct(items(all), budget)),
  overItems('list<dyn>.flatten(): list<dyn>', (all) => flatten(all, 1n)),
  overItems('list<dyn>.flatten(int): list<dyn>', (all, depth) => flatten(all, int(depth))),
  overload('lists.range(int): list<int>', ([count], budget) => {
    budget.spend(Math.max(0, Number(int(count))));
    return new ListValue(Array.from({ length: Number(int(count)) }, (_, index) => BigInt(index)));
  }),
];

function slice(all: readonly CelValue[], from: bigint, to: bigint): CelValue {
  if (from < 0n || to < 0n) {
    throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  }
  if (from > to) {
    throw new CelError(
      `cannot slice(${from}, ${to}), start index must be less than or equal to end index`,
    );
  }
  if (to > BigInt(all.length)) {
    throw new CelError(`cannot slice(${from}, ${to}), list is length ${all.length}`);
  }
  return new ListValue(all.slice(Number(from), Number(to)));
}

function distinct(all: readonly CelValue[], budget: Budget): CelValue {
  const kept: CelValue[] = [];
  for (const item of all) {
    budget.walk(kept.length * 10);
    if (!kept.some((one) => isEqual(one, item))) kept.push(item);
  }
  return new ListValue(kept);
}

function flatten(all: readonly CelValue[], depth: bigint): ListValue {
  if (depth < 0n) throw new CelError('level must be non-negative');
  return new ListValue(
    all.flatMap((item): readonly CelValue[] => {
      if (!(item instanceof ListValue)) return [item];
      return depth > 1n
        ? flatten(item.items, depth - 1n).items
        : depth === 1n
          ? item.items
          : [item];
    }),
  );
}

/** A function that searches for every item of one list in the other. */
function acrossSets(
  signature: string,
  run: (a: readonly CelValue[], b: readonly CelValue[]) => boolean,
): Overload {
  return overload(signature, ([a, b], budget) => {
    budget.spend(items(a).length * items(b).length);
    return bool(run(items(a), items(b)));
  });
}

function containsAll(all: readonly CelValue[], some: readonly CelValue[]): boolean {
  return some.every((one) => all.some((item) => isEqual(item, one)));
}

const sets: readonly Overload[] = [
  acrossSets('sets.contains(list<T>, list<T>): bool', containsAll),
  acrossSets('sets.equivalent(list<T>, list<T>): bool', (a, b) => {
    return containsAll(a, b) && containsAll(b, a);
  }),
  acrossSets('sets.intersects(list<T>, list<T>): bool', (a, b) => {
    return a.some((one) => b.some((item) => isEqual(item, one)));
  }),
];

export const lists: readonly Overload[] = [
  ...ordered,
  ...ZEROES.map(([type, zero]) =>
    overItems(`list<${type}>.sum(): ${type}`, (all) => sumOf(all, zero)),
  ),
  ...places,
  ...sets,
];
