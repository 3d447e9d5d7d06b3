/** Items of lists and maps, by their place or key. */
import { noSuchOverload } from './fault.ts';
import { ListValue, MapValue, type Value } from './value.ts';

/** What stands at a place of a list, or under a key of a map; undefined: nothing. */
export function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof MapValue) return value.get(key);
  if (!(value instanceof ListValue)) throw noSuchOverload();
  const index = Number(typeof key === 'bigint' || typeof key === 'number' ? key : Number.NaN);
  return index >= 0 ? value.items[index] : undefined;
}
