/**
 * Builds the OpenAPI schema of one type of the schema table: its fields with types, formats, defaults and
 * enums, which of them are required, and how lists and maps are merged.
 *
 * A field that JSON always prints has its empty value as default, because omitting the field means that
 * value. This is how Kubernetes' schemas distinguish such a field from one that JSON leaves out when it is
 * empty.
 */
import type { Field, Scalar, Shape, StructType, TypeName } from '../../api/schema/shape.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { describeField, describeType } from './descriptions/descriptions.ts';
import type { Dialect } from './dialect.ts';
import { isGranular, unionsOf } from './type-facts.ts';

export interface SchemaContext {
  readonly dialect: Dialect;
  /**
   * Returns a reference to the definition of a type, and adds that definition. A special type has its plain
   * name, such as Quantity.
   */
  readonly refer: (name: TypeName, beside: JsonObject) => JsonObject;
}

const SCALARS: Readonly<Record<Scalar, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

export function structSchema(type: StructType, context: SchemaContext): JsonObject {
  const fields = type.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const properties = fields.map(
    (field) => [field.name, fieldSchema(type, field, context)] as const,
  );
  const required = type.fields.filter((field) => field.required).map(({ name }) => name);
  const description = describeType(type.name);
  const union = unionsOf(type.name);
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(type.atomic === true && { 'x-kubernetes-map-type': 'atomic' }),
    ...(union && { 'x-kubernetes-unions': [union] }),
  };
}

function fieldSchema(type: StructType, field: Field, context: SchemaContext): JsonObject {
  const description = describeField(type, field);
  const value = defaultOf(field);
  return shapeSchema(field.shape, context, {
    ...(description !== undefined && { description }),
    ...(context.dialect.hasDefaults && value !== undefined && { default: value }),
    ...extensionsOf(type, field),
  });
}

/** `beside`: fields that describe the value in this field, not its type. */
function shapeSchema(shape: Shape, context: SchemaContext, beside: JsonObject): JsonObject {
  switch (shape.kind) {
    case 'scalar':
      return {
        ...beside,
        ...SCALARS[shape.scalar],
        ...(shape.enum && { enum: shape.enum }),
      };
    case 'special':
      return context.refer(shape.special, beside);
    case 'struct':
      return context.refer(shape.name, beside);
    case 'list':
      return { ...beside, type: 'array', items: elementSchema(shape.item, context) };
    case 'map':
      return {
        ...beside,
        type: 'object',
        additionalProperties: elementSchema(shape.value, context),
      };
  }
}

function elementSchema(shape: Shape, context: SchemaContext): JsonObject {
  const value = context.dialect.hasDefaults ? emptyOf(shape, false) : undefined;
  return shapeSchema(shape, context, value === undefined ? {} : { default: value });
}

function defaultOf(field: Field): Json | undefined {
  const { default: given } = field;
  if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') {
    return given;
  }
  return field.pointer ? undefined : emptyOf(field.shape, field.omitEmpty);
}

/** Go's empty value of a field that is missing in JSON. Undefined: it is null, or nothing is printed. */
function emptyOf(shape: Shape, omitEmpty: boolean): Json | undefined {
  if (shape.kind === 'struct') return {};
  if (shape.kind !== 'scalar' || omitEmpty || shape.scalar === 'bytes') return undefined;
  if (shape.scalar === 'string') return '';
  return shape.scalar === 'bool' ? false : 0;
}

function extensionsOf(type: StructType, field: Field): JsonObject {
  const { listMapKeys, listType, mergeKey, patchStrategies } = field;
  const mapType = mapTypeOf(type, field);
  return {
    ...(listMapKeys && { 'x-kubernetes-list-map-keys': listMapKeys }),
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
    ...(mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': mergeKey }),
    ...(patchStrategies.length > 0 && {
      'x-kubernetes-patch-strategy': patchStrategies.join(','),
    }),
  };
}

function mapTypeOf(type: StructType, { name, shape, atomic }: Field): string | undefined {
  if (isGranular(type.name, name)) return 'granular';
  // The definition of an atomic type says so itself.
  const describedByType = shape.kind === 'struct' && shape.type.atomic === true;
  return atomic === true && !describedByType ? 'atomic' : undefined;
}
