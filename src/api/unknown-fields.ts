/**
 * Fields that a newer API has and this table of shapes does not.
 *
 * Code that rebuilds an object does not know them, and leaving them out would delete them.
 */
import type { StructType } from './schema/shape.ts';

/** `next`, with the unknown fields of `base` that it lacks: podkeep cannot have removed them. */
export function carryUnknownFields<T extends object>(base: T, next: T, type: StructType): T {
  const unknown = Object.entries(base).filter(
    ([name]) => !type.field(name) && !Object.hasOwn(next, name),
  );
  return unknown.length === 0 ? next : { ...next, ...Object.fromEntries(unknown) };
}
