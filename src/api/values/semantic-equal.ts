/**
 * Compares two objects of one kind for semantic equality.
 *
 * JSON has several empty values: an absent field, `null`, `""`, `0`, `[]`, `{}`. Which of them are equal
 * depends on the field. Where Go has a plain value, absent and zero are equal; where it has a pointer, they
 * differ (`started: false` is not the same as no `started`). Empty and absent lists and maps are equal.
 * Quantities are compared by amount, times by instant. The schema table determines which rule applies. Fields
 * that the table does not have are compared as plain JSON if both sides have them, and ignored if only one
 * does.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from './json-equal.ts';
import { compareQuantities } from './quantity.ts';
import { readQuantity } from './quantity-text.ts';
import type { Field, Shape, Special, StructType } from '../schema/shape.ts';
import { sameInstant } from './time.ts';

/** Absent in one of the two is a value too. */
type Value = Json | undefined;

/** `except` names fields of the outermost object that are not compared. */
export function semanticallyEqual(
  a: object,
  b: object,
  type: StructType,
  except?: ReadonlySet<string>,
): boolean {
  if (a === b) return true;
  return isJsonObject(a) && isJsonObject(b) && areStructsEqual(a, b, type, except);
}

/**
 * `next`, in which every field that is semantically equal to that of `base` is replaced by the one of `base`;
 * `base` itself if all are. Parts that then differ as plain JSON also differ semantically.
 */
export function shareEqualFields<T extends object>(base: T, next: T, type: StructType): T {
  if (base === next) return base;
  if (!isJsonObject(base) || !isJsonObject(next)) return next;
  let isSame = true;
  const shared: [string, Json][] = [];
  const take = (name: string, before: Value, after: Value): void => {
    const field = type.field(name);
    const isEqual = field
      ? areFieldsEqual(before, after, field)
      : jsonEqual(before ?? null, after ?? null);
    if (!isEqual) isSame = false;
    const value = isEqual ? before : after;
    if (value !== undefined) shared.push([name, value]);
  };
  for (const name of Object.keys(next)) {
    take(name, Object.hasOwn(base, name) ? base[name] : undefined, next[name]);
  }
  for (const name of Object.keys(base)) {
    if (!Object.hasOwn(next, name)) take(name, base[name], undefined);
  }
  if (isSame) return base;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is one of T's own
  return Object.fromEntries(shared) as T;
}

function areStructsEqual(
  a: JsonObject,
  b: JsonObject,
  type: StructType,
  except?: ReadonlySet<string>,
): boolean {
  for (const name of Object.keys(a)) {
    if (except?.has(name)) continue;
    if (!areFieldsEqual(a[name], Object.hasOwn(b, name) ? b[name] : undefined, type.field(name))) {
      return false;
    }
  }
  for (const name of Object.keys(b)) {
    if (except?.has(name) || Object.hasOwn(a, name)) continue;
    if (!areFieldsEqual(undefined, b[name], type.field(name))) return false;
  }
  return true;
}

function areFieldsEqual(a: Value, b: Value, field: Field | undefined): boolean {
  if (a === b) return true;
  // A side that does not know the field makes no statement about it.
  if (!field) return a === undefined || b === undefined || jsonEqual(a, b);
  const isZeroA = isZero(a, field);
  const isZeroB = isZero(b, field);
  if (isZeroA || isZeroB) return isZeroA && isZeroB;
  return areValuesEqual(a, b, field.shape);
}

function areValuesEqual(a: Value, b: Value, shape: Shape): boolean {
  if (a === b) return true;
  switch (shape.kind) {
    case 'scalar':
      return false;
    case 'special':
      return areSpecialsEqual(a ?? null, b ?? null, shape.special);
    case 'list':
      return (
        Array.isArray(a) &&
        Array.isArray(b) &&
        a.length === b.length &&
        a.every((item, index) => areValuesEqual(item, b[index], shape.item))
      );
    case 'map':
      return isJsonObject(a) && isJsonObject(b) && areMapsEqual(a, b, shape.value);
    case 'struct':
      return isJsonObject(a) && isJsonObject(b) && areStructsEqual(a, b, shape.type);
  }
}

function areMapsEqual(a: JsonObject, b: JsonObject, value: Shape): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && areValuesEqual(a[name], b[name], value))
  );
}

function areSpecialsEqual(a: Json, b: Json, special: Special): boolean {
  try {
    if (special === 'Quantity' && isText(a) && isText(b)) {
      return compareQuantities(readQuantity(a), readQuantity(b)) === 0;
    }
    if ((special === 'Time' || special === 'MicroTime') && isText(a) && isText(b)) {
      return sameInstant(String(a), String(b));
    }
  } catch {
    return false; // an invalid value equals only itself, which was checked before
  }
  return jsonEqual(a, b);
}

/** Whether the value is empty in this field. */
function isZero(value: Value, { shape, pointer }: Pick<Field, 'shape' | 'pointer'>): boolean {
  if (value === undefined || value === null) return true;
  if (shape.kind === 'list') return Array.isArray(value) && value.length === 0;
  if (shape.kind === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  if (pointer) return false;
  if (shape.kind === 'struct') {
    const { type } = shape;
    return (
      isJsonObject(value) &&
      Object.keys(value).every((name) => {
        const field = type.field(name);
        return field ? isZero(value[name], field) : false;
      })
    );
  }
  return value === '' || value === 0 || value === false;
}

function isText(value: Json): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
