/** Functions on optional values: `optional.of`, `orValue` and the like. */
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, MapValue, ObjectValue, OptionalValue, Uint, type CelValue } from '../value.ts';
import { optional } from './arguments.ts';

function isZero(value: CelValue): boolean {
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof ListValue) return value.items.length === 0;
  if (value instanceof MapValue) return value.size === 0;
  if (value instanceof ObjectValue) return value.names().length === 0;
  return value === null || value === false || value === 0n || value === 0 || value === '';
}

export const optionals: readonly Overload[] = [
  overload('optional.none(): optional<T>', () => new OptionalValue(undefined)),
  overload('optional.of(T): optional<T>', ([a]) => new OptionalValue(a)),
  overload('optional.ofNonZeroValue(T): optional<T>', ([a = null]) => {
    return new OptionalValue(isZero(a) ? undefined : a);
  }),
  overload('optional<T>.hasValue(): bool', ([a]) => optional(a).value !== undefined),
  overload('optional<T>.value(): T', ([a]) => {
    const { value } = optional(a);
    if (value === undefined) throw new CelError('optional.none() dereference');
    return value;
  }),
  overload('optional<T>.or(optional<T>): optional<T>', ([a, b]) => {
    return optional(a).value === undefined ? optional(b) : optional(a);
  }),
  overload('optional<T>.orValue(T): T', ([a, b = null]) => optional(a).value ?? b),
];
