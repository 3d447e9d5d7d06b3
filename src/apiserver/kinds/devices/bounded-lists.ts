/** Validates lists with a maximum length. A longer list gets only that error; its items are not validated. */
import { duplicate, tooMany, type FieldErrors } from '../../../api/validation/field-errors.ts';

export function* validateItems<Item>(
  items: readonly Item[],
  countMax: number,
  field: string,
  validate: (item: Item, field: string) => FieldErrors,
): FieldErrors {
  if (items.length > countMax) {
    yield tooMany(field, items.length, countMax);
    return;
  }
  for (const [index, item] of items.entries()) yield* validate(item, `${field}[${index}]`);
}

/** The same, and the keys of the items must be distinct. */
export function* validateDistinctItems<Item>(
  items: readonly Item[],
  countMax: number,
  field: string,
  keyOf: (item: Item) => string,
  validate: (item: Item, field: string) => FieldErrors,
): FieldErrors {
  yield* validateItems(items, countMax, field, validate);
  if (items.length > countMax) return;
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) yield duplicate(`${field}[${index}]`, key);
    seen.add(key);
  }
}
