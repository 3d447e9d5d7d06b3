/** Validates a value against its server-side apply type. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import {
  formOf,
  typeOfField,
  type FieldType,
  type ListFieldType,
  type MapFieldType,
  type ScalarType,
} from './field-type.ts';
import { nameItem } from './list-items.ts';
import { describeElement, fieldElement } from './path-element.ts';
import { below, goType, goValue, TypedValueError, type TypedFault } from './typed-value-error.ts';

/** Throws a TypedValueError. Stored objects may have duplicate list items, applied configurations may not. */
export function checkTyped(value: Json, type: FieldType, allowsDuplicates: boolean): void {
  const faults = validate(value, type, allowsDuplicates);
  if (faults.length > 0) throw new TypedValueError(faults);
}

const NONE: readonly TypedFault[] = [];

function validate(value: Json, type: FieldType, allowsDuplicates: boolean): readonly TypedFault[] {
  const { map, list, scalar } = type;
  switch (formOf(type, value)) {
    case 'map':
      if (value === null || !map) return NONE;
      if (!isJsonObject(value)) return [fault(`expected map, got ${goValue(value)}`)];
      return validateMap(value, map, allowsDuplicates);
    case 'list':
      if (value === null || !list) return NONE;
      if (!Array.isArray(value)) return [fault(`expected list, got ${goValue(value)}`)];
      return validateList(value as readonly Json[], list, allowsDuplicates);
    case 'scalar':
      return validateScalar(value, scalar ?? 'untyped', '');
    case null:
      return [fault('schema error: invalid atom: inlined')];
  }
}

function validateMap(
  value: JsonObject,
  map: MapFieldType,
  allowsDuplicates: boolean,
): readonly TypedFault[] {
  const faults: TypedFault[] = [];
  for (const [name, item] of Object.entries(value)) {
    const type = typeOfField(map, name);
    const path = describeElement(fieldElement(name));
    if (!type) {
      faults.push({ path, message: 'field not declared in schema' });
      break;
    }
    const found = validate(item, type, allowsDuplicates);
    if (found.length > 0) faults.push(...below(path, found));
  }
  return faults;
}

function validateList(
  items: readonly Json[],
  list: ListFieldType,
  allowsDuplicates: boolean,
): readonly TypedFault[] {
  const faults: TypedFault[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const named = list.isAtomic ? { element: `i:${index}` } : nameItem(list, item);
    if ('problem' in named) return [...faults, fault(`element ${index}: ${named.problem}`)];
    const path = describeElement(named.element);
    if (seen.has(named.element) && !allowsDuplicates) {
      faults.push(fault(`duplicate entries for key ${path}`));
    }
    seen.add(named.element);
    const found = validate(item, list.element, allowsDuplicates);
    if (found.length > 0) faults.push(...below(path, found));
  }
  return faults;
}

export function validateScalar(
  value: Json | undefined,
  scalar: ScalarType,
  prefix: string,
): readonly TypedFault[] {
  if (value === undefined || value === null) return NONE;
  const type = typeof value;
  switch (scalar) {
    case 'numeric':
      if (type === 'number' || type === 'bigint') return NONE;
      return [fault(`${prefix}expected numeric (int or float), got ${goType(value)}`)];
    case 'string':
      if (type === 'string') return NONE;
      return [
        fault(`${prefix}expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`),
      ];
    case 'boolean':
      if (type === 'boolean') return NONE;
      return [fault(`${prefix}expected boolean, got ${goValue(value)}`)];
    case 'untyped':
      if (type !== 'object') return NONE;
      return [fault(`${prefix}expected any scalar, got ${goValue(value)}`)];
  }
}

function goLiteral(value: Json): string {
  return typeof value === 'object' ? `${goType(value)}{…}` : String(value);
}

function fault(message: string): TypedFault {
  return { path: '', message };
}
