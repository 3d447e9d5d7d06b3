/**
 * Derives the server-side apply types of built-in kinds from the schema table. Each is created once, when it
 * is first needed.
 */
import type { Json } from '../../lib/json.ts';
import type { Field, Shape, Special, StructType } from '../schema/shape.ts';
import {
  DEDUCED,
  UNTYPED,
  type FieldType,
  type MapFieldType,
  type ScalarType,
} from './field-type.ts';

const structs = new WeakMap<StructType, FieldType>();
const fields = new WeakMap<Field, FieldType>();

export function builtInFieldType(struct: StructType): FieldType {
  let type = structs.get(struct);
  if (!type) structs.set(struct, (type = { map: structMap(struct, struct.atomic === true) }));
  return type;
}

function structMap(struct: StructType, isAtomic: boolean): MapFieldType {
  const hasFields = struct.fields.length > 0;
  return {
    isAtomic,
    field: (name) => {
      const field = struct.field(name);
      return field && typeOf(field);
    },
    defaultOf: (name) => defaultOf(struct.field(name)),
    // OpenAPI treats an object without declared properties as one that may have any.
    element: hasFields ? undefined : DEDUCED,
  };
}

/** The default of a field in OpenAPI: for a field that Go always prints, its zero value. */
function defaultOf(field: Field | undefined): Json | undefined {
  if (!field) return undefined;
  if (field.default !== undefined) return isKey(field.default) ? field.default : undefined;
  const { shape, pointer, omitEmpty } = field;
  if (pointer || omitEmpty || shape.kind !== 'scalar') return undefined;
  return shape.scalar === 'string' ? '' : shape.scalar === 'bool' ? false : 0;
}

/** Whether a value can be a list key, which is always a scalar. */
function isKey(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function typeOf(field: Field): FieldType {
  let type = fields.get(field);
  if (!type) fields.set(field, (type = readField(field)));
  return type;
}

function readField(field: Field): FieldType {
  const { shape, atomic = false, listType, listMapKeys, mergeKey, patchStrategies } = field;
  if (shape.kind === 'struct') {
    return atomic ? { map: structMap(shape.type, true) } : builtInFieldType(shape.type);
  }
  if (shape.kind === 'map') return mapType(shape.value, atomic);
  if (shape.kind !== 'list') return shapeType(shape);
  const merges = listType === undefined && patchStrategies.includes('merge');
  const isAtomic = listType === undefined ? !merges : listType === 'atomic';
  const keys = merges ? (mergeKey === undefined ? [] : [mergeKey]) : (listMapKeys ?? []);
  return { list: { isAtomic, keys: isAtomic ? [] : keys, element: shapeType(shape.item) } };
}

function mapType(value: Shape, isAtomic: boolean): FieldType {
  return { map: { isAtomic, field: () => undefined, element: shapeType(value) } };
}

function shapeType(shape: Shape): FieldType {
  switch (shape.kind) {
    case 'struct':
      return builtInFieldType(shape.type);
    case 'map':
      return mapType(shape.value, false);
    case 'list':
      return { list: { isAtomic: true, keys: [], element: shapeType(shape.item) } };
    case 'scalar':
      return SCALARS[shape.scalar] ?? NUMERIC;
    case 'special':
      return specialType(shape.special);
  }
}

const NUMERIC: FieldType = { scalar: 'numeric' };
const SCALARS: Readonly<Record<string, { readonly scalar: ScalarType }>> = {
  string: { scalar: 'string' },
  bytes: { scalar: 'string' },
  bool: { scalar: 'boolean' },
};
const ANY_SCALAR: FieldType = { scalar: 'untyped' };
const STRING: FieldType = { scalar: 'string' };

function specialType(special: Special): FieldType {
  switch (special) {
    case 'Quantity':
    case 'Time':
    case 'MicroTime':
    case 'IntOrString':
      return ANY_SCALAR;
    case 'Duration':
      return STRING;
    case 'RawExtension':
      return UNTYPED;
    case 'FieldsV1':
    case 'JSON':
    case 'JSONSchemaPropsOrBool':
    case 'JSONSchemaPropsOrArray':
    case 'JSONSchemaPropsOrStringArray':
      return DEDUCED;
  }
}
