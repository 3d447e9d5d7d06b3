/** Reads an item of a list by its index, or of a map by its key. */
import { noSuchOverload } from './fault.ts';
import { ListValue, MapValue, type CelValue } from './value.ts';

/** The item at an index of a list, or under a key of a map; undefined: none. */
export function itemOf(value: CelValue, key: CelValue): CelValue | undefined {
  if (value instanceof MapValue) return value.get(key);
  if (!(value instanceof ListValue)) throw noSuchOverload();
  const index = Number(typeof key === 'bigint' || typeof key === 'number' ? key : Number.NaN);
  return index >= 0 ? value.items[index] : undefined;
}
