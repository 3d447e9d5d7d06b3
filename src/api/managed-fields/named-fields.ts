/**
 * Completes a set of field paths with the parent fields of its paths that the type declares, so that removing
 * a struct also removes the fields in it.
 */
import type { FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';

export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const members = new Set(set.members);
  const children = new Map<string, FieldSet>();
  for (const [element, child] of set.children) {
    const name = element.slice(2);
    const isField = element.startsWith('f:');
    const declared = isField ? type?.map?.field(name) : undefined;
    if (declared) members.add(element);
    const isKey = element.startsWith('k:');
    const below = isField
      ? (declared ?? type?.map?.element)
      : isKey
        ? type?.list?.element
        : undefined;
    children.set(element, withNamedFields(child, below));
  }
  return { members, children };
}
