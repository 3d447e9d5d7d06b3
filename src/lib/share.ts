/**
 * Immutable updates that reuse unchanged objects.
 *
 * Statuses are compared far more often than they change. Because an update without changes returns the same
 * object, most comparisons end at the first pointer.
 */

/** Like `list.map`, but returns `list` itself if no element changed. */
export function mapShared<Item>(
  list: readonly Item[],
  change: (item: Item, index: number) => Item,
): readonly Item[] {
  let changed: Item[] | undefined;
  let index = 0;
  for (const item of list) {
    const next = change(item, index);
    if (changed) changed.push(next);
    else if (next !== item) changed = [...list.slice(0, index), next];
    index += 1;
  }
  return changed ?? list;
}

/** Like `{ ...object, ...fields }`, but returns `object` itself if it has those values already. */
export function withFields<T extends object>(object: T, fields: Partial<T>): T {
  for (const name in fields) {
    if (object[name] !== fields[name]) return { ...object, ...fields };
  }
  return object;
}

/** A copy in the order of `compare`, or `list` itself if it is in that order already. */
export function sortShared<Item>(
  list: readonly Item[],
  compare: (a: Item, b: Item) => number,
): readonly Item[] {
  for (let index = 1; index < list.length; index++) {
    const [before, after] = [list[index - 1], list[index]];
    if (before !== undefined && after !== undefined && compare(before, after) > 0) {
      return list.toSorted(compare);
    }
  }
  return list;
}
