/**
 * Adapts recorded ownership to fields that have since become atomic, which happens when a
 * CustomResourceDefinition changes: a manager that owned a part of the field then owns all of it.
 */
import { EMPTY_SET, isEmptySet, recursiveDifference, setOf, union } from './field-set.ts';
import type { FieldPath, FieldSet } from './field-set.ts';
import { typeOfField, type FieldType } from './field-type.ts';

/** The very same set if nothing became atomic. */
export function reconcileWithType(set: FieldSet, type: FieldType): FieldSet {
  const atomic = [...becameAtomic(set, type, [], false)];
  if (atomic.length === 0) return set;
  const roots = setOf(atomic);
  return union(recursiveDifference(set, roots), roots);
}

function* becameAtomic(
  set: FieldSet,
  type: FieldType,
  path: FieldPath,
  isLeaf: boolean,
): Generator<FieldPath> {
  const { map, list, scalar } = type;
  if (map) {
    if (map.isDeduced) return;
    if (map.isAtomic) {
      if (!isLeaf && !isEmptySet(set)) yield path;
      return;
    }
  } else if (scalar !== undefined || !list) return;
  else if (list.isAtomic) {
    if (!isLeaf) yield path;
    return;
  }
  for (const element of new Set([...set.children.keys(), ...set.members])) {
    const below = map
      ? element.startsWith('f:')
        ? typeOfField(map, element.slice(2))
        : map.element
      : list?.element;
    if (!below) continue;
    const child = set.children.get(element);
    const isWhole = set.members.has(element) && !child;
    yield* becameAtomic(child ?? EMPTY_SET, below, [...path, element], isWhole);
  }
}
