/**
 * Derives the server-side apply types of custom resources from the schema in their CustomResourceDefinition.
 * Without a schema an object may have any fields: maps are merged, lists are atomic.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { structOf } from '../schema/schema.ts';
import { builtInFieldType } from './built-in-type.ts';
import {
  DEDUCED,
  UNTYPED,
  type FieldType,
  type ListFieldType,
  type MapFieldType,
  type ScalarType,
} from './field-type.ts';

const known = new WeakMap<JsonObject, FieldType>();

const STRING: FieldType = { scalar: 'string' };
const FREE_FORM: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** `schema`: absent: the version has no schema. */
export function customFieldType(schema: JsonObject | undefined): FieldType {
  const root = schema ?? FREE_FORM;
  let type = known.get(root);
  if (!type) known.set(root, (type = rootType(root)));
  return type;
}

function rootType(schema: JsonObject): FieldType {
  const { map } = schemaType({ ...schema, type: 'object' }, false);
  return map ? { map: withObjectFields(map) } : DEDUCED;
}

/** Adds apiVersion, kind and metadata, which every object has. */
function withObjectFields(map: MapFieldType): MapFieldType {
  const metadata = builtInFieldType(structOf('meta/v1.ObjectMeta'));
  return {
    ...map,
    field: (name) => {
      if (name === 'apiVersion' || name === 'kind') return STRING;
      return name === 'metadata' ? metadata : map.field(name);
    },
  };
}

function schemaType(schema: JsonObject, inherited: boolean): FieldType {
  const keepsUnknown = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { type } = schema;
  switch (typeof type === 'string' ? type : '') {
    case 'object': {
      const map = mapOf(schema, keepsUnknown);
      const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
      return { map: isEmbedded ? withObjectFields(map) : map };
    }
    case 'array':
      return { list: listOf(schema, keepsUnknown) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: stringType(schema['format']) };
  }
  return {
    scalar: 'untyped',
    list: listOf(schema, keepsUnknown),
    map: mapOf(schema, keepsUnknown),
  };
}

function stringType(format: Json | undefined): ScalarType {
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
}

function mapOf(schema: JsonObject, keepsUnknown: boolean): MapFieldType {
  const { properties, additionalProperties } = schema;
  const declared = isJsonObject(properties) ? properties : {};
  const types = new Map<string, FieldType>();
  for (const [name, member] of Object.entries(declared)) {
    if (isJsonObject(member)) types.set(name, schemaType(member, keepsUnknown));
  }
  const isFree = keepsUnknown || types.size === 0;
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    field: (name) => types.get(name),
    defaultOf: (name) => {
      const member = declared[name];
      return isJsonObject(member) ? member['default'] : undefined;
    },
    element: elementOf(additionalProperties, isFree, keepsUnknown),
    isDeduced: types.size === 0 && !isJsonObject(additionalProperties),
  };
}

function elementOf(
  additional: Json | undefined,
  isFree: boolean,
  keepsUnknown: boolean,
): FieldType | undefined {
  if (isJsonObject(additional)) return schemaType(additional, keepsUnknown);
  if (typeof additional === 'boolean') return additional ? DEDUCED : undefined;
  return isFree ? DEDUCED : undefined;
}

function listOf(schema: JsonObject, keepsUnknown: boolean): ListFieldType {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    isAtomic: listType !== 'set' && listType !== 'map',
    keys: listType === 'map' && Array.isArray(keys) ? keys.map(String) : [],
    element: isJsonObject(items) ? schemaType(items, keepsUnknown) : UNTYPED,
  };
}
