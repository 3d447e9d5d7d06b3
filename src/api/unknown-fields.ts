/**
 * Preserves fields of a newer API version that podkeep's schema table does not have.
 *
 * Code that rebuilds an object does not know these fields, and omitting them would delete them.
 */
import type { StructType } from './schema/shape.ts';

/** `next`, with the unknown fields of `base` that it lacks: podkeep cannot have removed them. */
export function carryUnknownFields<T extends object>(base: T, next: T, type: StructType): T {
  const unknown = Object.entries(base).filter(
    ([name]) => !type.field(name) && !Object.hasOwn(next, name),
  );
  return unknown.length === 0 ? next : { ...next, ...Object.fromEntries(unknown) };
}
