/**
 * Identifies the elements of a list with patch strategy `merge`.
 *
 * All elements, old and new, must be of one type. Objects are identified by the value of their merge
 * key, scalars by themselves. Either way the identity is a scalar that a Map can hold, which keeps
 * merging two long lists linear.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { goTypeOf } from './go-text.ts';
import { isJsonList, own } from './json-access.ts';
import {
  elementsMixed,
  mergeKeyMissing,
  patchListOfLists,
  typeMismatch,
} from './strategic-errors.ts';

/** The identity of an element. The same value in two elements means the same element. */
export type Identity = null | boolean | number | bigint | string;

export type Identify = (item: Json) => Identity;

/** The type that all elements share; undefined if there are none. */
export function elementType(...lists: readonly (readonly Json[])[]): string | undefined {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const itemType = goTypeOf(item);
      if (itemType === type) continue;
      if (type !== undefined) throw elementsMixed({ lists });
      if (isJsonList(item)) throw patchListOfLists(undefined);
      if (item === null) throw typeMismatch({ expected: 'value', actual: item });
      type = itemType;
    }
  }
  return type;
}

/** `mergeKey`: undefined: the elements are scalars. */
export function identifyBy(mergeKey: string | undefined): Identify {
  return mergeKey === undefined ? scalarOf : (item) => mergeKeyValue(item, mergeKey);
}

/** The first index of each element. */
export function indexElements(
  list: readonly Json[],
  identify: Identify,
): ReadonlyMap<Identity, number> {
  const places = new Map<Identity, number>();
  for (const [place, item] of list.entries()) {
    const identity = identify(item);
    if (!places.has(identity)) places.set(identity, place);
  }
  return places;
}

function mergeKeyValue(item: Json, mergeKey: string): Identity {
  if (!isJsonObject(item))
    throw typeMismatch({ expected: 'map[string]interface {}', actual: item });
  const value = own(item, mergeKey);
  if (value === undefined) throw mergeKeyMissing({ item, mergeKey });
  return scalarOf(value);
}

function scalarOf(value: Json): Identity {
  if (typeof value !== 'object' || value === null) return value;
  throw typeMismatch({ expected: 'scalar', actual: value });
}
