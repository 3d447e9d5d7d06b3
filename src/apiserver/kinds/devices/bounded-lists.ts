/**
 * Lists with a limit. One that is too long is not looked into at all: whoever sends it is told how
 * long it is, and nothing else.
 */
import { duplicate, tooMany, type Complaints } from '../validation/complaint.ts';

export function* validateItems<Item>(
  items: readonly Item[],
  countMax: number,
  field: string,
  validate: (item: Item, field: string) => Complaints,
): Complaints {
  if (items.length > countMax) {
    yield tooMany(field, items.length, countMax);
    return;
  }
  for (const [index, item] of items.entries()) yield* validate(item, `${field}[${index}]`);
}

/** The same, and no two of them have the same key. */
export function* validateDistinctItems<Item>(
  items: readonly Item[],
  countMax: number,
  field: string,
  keyOf: (item: Item) => string,
  validate: (item: Item, field: string) => Complaints,
): Complaints {
  yield* validateItems(items, countMax, field, validate);
  if (items.length > countMax) return;
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) yield duplicate(`${field}[${index}]`, key);
    seen.add(key);
  }
}
