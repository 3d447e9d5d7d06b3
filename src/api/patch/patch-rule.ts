/**
 * Looks up how one field merges in a strategic merge patch. The rule depends on the field's type only.
 *
 *     Shape of the parent ──field name──> PatchRule { shape, strategy, retainKeys, mergeKey }
 *
 * The schema table is consulted only where both sides hold an object or both hold a list. There an unknown
 * field is an error, as in Kubernetes: guessing between merging and replacing would lose data silently.
 * Everywhere else (a new field, a scalar, null) an unknown field is taken from the patch unchanged, since the
 * patch can mean only one thing.
 *
 * Types with a JSON form of their own (Quantity, RawExtension, ...) and the values of a map have no merge
 * rules: merging an object or a list below them is the same error. Names are case-sensitive; Go would also
 * match them in another case, but its decoder then drops the field.
 */
import { unreachable } from '../../lib/assert.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Field, Scalar, Shape } from '../schema/shape.ts';
import { fieldUnknown, notAList, notAStruct, patchListOfLists } from './strategic-errors.ts';

export interface PatchRule {
  /** The type of the field; for a list, the type of its elements. */
  readonly shape: Shape;
  /** Absent: objects merge, lists are replaced. */
  readonly strategy: 'merge' | 'replace' | undefined;
  /** Only the fields that the patch names survive (one volume source replaces another). */
  readonly retainKeys: boolean;
  readonly mergeKey: string | undefined;
}

/** Go's name for a kind, where it differs from ours. */
const SCALAR_KINDS: Partial<Record<Scalar, string>> = {
  float: 'float32',
  double: 'float64',
  bytes: 'slice',
};

/** The rule of a field in which both sides hold an object, or the error if there is none. */
export function findObjectRule(parent: Shape, name: string): PatchRule | PodkeepError {
  const field = findField(parent, name);
  return field instanceof PodkeepError ? field : ruleOf(field, field.shape);
}

/** The rule of a field in which both sides hold a list, or the error if there is none. */
export function findListRule(parent: Shape, name: string): PatchRule | PodkeepError {
  const field = findField(parent, name);
  if (field instanceof PodkeepError) return field;
  const element = findElementShape(parent, field);
  return element instanceof PodkeepError ? element : ruleOf(field, element);
}

/** Returns the rule, or throws the error. */
export function needRule(found: PatchRule | PodkeepError): PatchRule {
  if (found instanceof PodkeepError) throw found;
  return found;
}

/** Go's name for the kind of this shape. */
export function goKindOf(shape: Shape): string {
  switch (shape.kind) {
    case 'list':
      return 'slice';
    case 'special':
      return 'struct';
    case 'scalar':
      return SCALAR_KINDS[shape.scalar] ?? shape.scalar;
    case 'map':
    case 'struct':
      return shape.kind;
    default:
      return unreachable(shape);
  }
}

function findField(parent: Shape, name: string): Field | PodkeepError {
  const kind = goKindOf(parent);
  if (kind !== 'struct') return notAStruct({ kind, field: name });
  const field = parent.kind === 'struct' ? parent.type.field(name) : undefined;
  return field ?? fieldUnknown({ struct: structName(parent), field: name });
}

function findElementShape(parent: Shape, field: Field): Shape | PodkeepError {
  const { shape } = field;
  if (shape.kind === 'list') {
    return goKindOf(shape.item) === 'slice' ? patchListOfLists(undefined) : shape.item;
  }
  // Behind a pointer Kubernetes does not check whether it is a list; the value is replaced.
  if (field.pointer || goKindOf(shape) === 'slice') return shape;
  return notAList({ kind: goKindOf(parent), field: field.name });
}

function ruleOf(field: Field, shape: Shape): PatchRule {
  const strategies = field.patchStrategies;
  return {
    shape,
    strategy: strategies.find((strategy) => strategy !== 'retainKeys'),
    retainKeys: strategies.includes('retainKeys'),
    mergeKey: field.mergeKey,
  };
}

/** The struct's name in Go's messages: PodSpec for `core/v1.PodSpec`. */
function structName(shape: Shape): string {
  if (shape.kind === 'special') return shape.special;
  if (shape.kind !== 'struct') return goKindOf(shape);
  return shape.name.slice(shape.name.lastIndexOf('.') + 1);
}
