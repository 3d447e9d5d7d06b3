/**
 * Derives the CEL type that rules see for a schema.
 *
 * Values without a type (fields that preserve unknown fields) are invisible to rules. A resource always has
 * apiVersion, kind, and the name in its metadata, whatever its schema says.
 */
import { DYN, escapeName, STRING, type CelType } from '../../../cel/cel.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { readSchema, type Schema } from '../schema.ts';

/** Undefined: rules cannot see the value. */
export function declaredType(schema: Schema, isResource: boolean): CelType | undefined {
  if (schema.isIntOrString) return DYN;
  const seen = isResource ? withMeta(schema) : schema;
  switch (seen.type) {
    case 'array':
      return listType(seen);
    case 'object':
      return objectType(seen);
    case 'string':
      return stringType(seen.format);
    case 'boolean':
      return { kind: 'bool' };
    case 'number':
      return { kind: 'double' };
    case 'integer':
      return { kind: 'int' };
    default:
      return undefined;
  }
}

function listType({ items }: Schema): CelType | undefined {
  const item = items && declaredType(items, items.isEmbedded);
  return item && { kind: 'list', item };
}

function objectType(schema: Schema): CelType | undefined {
  if (typeof schema.additional === 'object') {
    const value = declaredType(schema.additional, schema.additional.isEmbedded);
    return value && { kind: 'map', key: STRING, value };
  }
  const fields = new Map<string, CelType>();
  for (const [name, property] of schema.properties) {
    const escaped = escapeName(name);
    const type = declaredType(property, property.isEmbedded);
    if (escaped !== undefined && type) fields.set(escaped, type);
  }
  return { kind: 'object', fields };
}

function stringType(format: string): CelType {
  switch (format) {
    case 'byte':
      return { kind: 'bytes' };
    case 'duration':
      return { kind: 'duration' };
    case 'date':
    case 'date-time':
      return { kind: 'timestamp' };
    default:
      return STRING;
  }
}

const META_FIELDS = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: {
    type: 'object',
    properties: { name: { type: 'string' }, generateName: { type: 'string' } },
  },
} satisfies Record<string, Json>;

const extended = new WeakMap<Schema, Schema>();

/** The schema with the fields that every resource has. */
export function withMeta(schema: Schema): Schema {
  const found = extended.get(schema);
  if (found) return found;
  const meta = Object.entries(META_FIELDS).map(
    ([name, source]) => [name, readSchema(isJsonObject(source) ? source : {})] as const,
  );
  const made = { ...schema, properties: new Map([...schema.properties, ...meta]) };
  extended.set(schema, made);
  return made;
}
