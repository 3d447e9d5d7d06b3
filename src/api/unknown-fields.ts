/**
 * Fields that a newer API has and this table of shapes does not.
 *
 * Whoever rebuilds an object knows nothing of them, and leaving them out would delete them.
 */
import type { StructType } from './schema/shape.ts';

/** `next`, with the fields of `base` that it lacks and that nobody here could have meant to drop. */
export function carryUnknownFields<T extends object>(base: T, next: T, type: StructType): T {
  const unknown = Object.entries(base).filter(
    ([name]) => !type.field(name) && !Object.hasOwn(next, name),
  );
  return unknown.length === 0 ? next : { ...next, ...Object.fromEntries(unknown) };
}
