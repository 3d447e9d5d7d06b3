/**
 * Converts a value to kube-apiserver's internal form, in which its error messages print whole structs.
 *
 * In that form every field is present, unset ones with Go's zero value, and fields have Go's names:
 * `{"Name":"c","Command":null}`. The schema table determines the form, except for the irregular names and
 * positions in internal-names.ts.
 */
import { formatQuantity, readQuantity } from '../values/quantity-text.ts';
import { structOf } from '../schema/schema.ts';
import type { Field, Shape, StructType } from '../schema/shape.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { INTERNAL_NAMES, INTERNAL_ORDERS, MOVED_TO_SECURITY_CONTEXT } from './internal-names.ts';

export function internalForm(value: Json | undefined, typeName: string): Json {
  return formOfStruct(isJsonObject(value) ? value : {}, structOf(typeName));
}

function formOfStruct(value: JsonObject, type: StructType): Json {
  // Types of the API machinery have no internal form of their own.
  if (!type.name.startsWith('core/')) return formOfOuterStruct(value, type);
  const { moved, fields } = fieldsOf(value, type);
  const entries = fields.flatMap((field): [string, Json][] => {
    const own = Object.hasOwn(moved, field.name) ? moved[field.name] : undefined;
    const form = formOfField(own, field);
    // In the internal form metadata is embedded: its fields are among the object's own.
    if (field.name === 'metadata' && isJsonObject(form)) return Object.entries(form);
    return [[internalNameOf(type, field.name), form]];
  });
  return Object.fromEntries(entries);
}

/** The fields in Go's order, including those that the internal form moves from another struct. */
function fieldsOf(
  value: JsonObject,
  type: StructType,
): { readonly moved: JsonObject; readonly fields: readonly Field[] } {
  if (type.name === 'core/v1.PodSpec') {
    const hidden = new Set([...MOVED_TO_SECURITY_CONTEXT, 'serviceAccount']);
    const security = isJsonObject(value['securityContext']) ? value['securityContext'] : {};
    const taken = Object.entries(value).filter(([name]) => hidden.has(name));
    const moved = { ...value, securityContext: { ...security, ...Object.fromEntries(taken) } };
    return {
      moved,
      fields: inOrder(
        type,
        type.fields.filter(({ name }) => !hidden.has(name)),
      ),
    };
  }
  if (type.name === 'core/v1.PodSecurityContext') {
    const spec = structOf('core/v1.PodSpec');
    const taken = MOVED_TO_SECURITY_CONTEXT.flatMap((name) => spec.field(name) ?? []);
    return { moved: value, fields: [...taken, ...inOrder(type, type.fields)] };
  }
  return { moved: value, fields: inOrder(type, type.fields) };
}

function inOrder(type: StructType, fields: readonly Field[]): readonly Field[] {
  const moves = INTERNAL_ORDERS[type.name];
  if (!moves) return fields;
  const result = [...fields];
  for (const [name, before] of moves) {
    const from = result.findIndex((field) => field.name === name);
    const [field] = result.splice(from, 1);
    const to = result.findIndex((other) => other.name === before);
    if (field) result.splice(to, 0, field);
  }
  return result;
}

function internalNameOf(type: StructType, name: string): string {
  const own = INTERNAL_NAMES[`${type.name.slice(type.name.indexOf('.') + 1)}.${name}`];
  return own ?? INTERNAL_NAMES[name] ?? name.slice(0, 1).toUpperCase() + name.slice(1);
}

function formOfField(value: Json | undefined, field: Field): Json {
  const { shape, pointer } = field;
  if (value !== undefined && value !== null) return formOf(value, shape);
  // In the internal form a token's expirationSeconds is not a pointer, but defaulting has set it by now.
  return pointer ? null : zeroOf(shape);
}

function formOf(value: Json, shape: Shape): Json {
  switch (shape.kind) {
    case 'list':
      return Array.isArray(value) ? formOfList(value, shape.item) : value;
    case 'map':
      return isJsonObject(value) ? formOfMap(value, shape.value) : value;
    case 'struct':
      return isJsonObject(value) ? formOfStruct(value, shape.type) : value;
    case 'special':
      return shape.special === 'Quantity' ? formOfQuantity(value) : value;
    case 'scalar':
      return value;
  }
}

function formOfList(list: readonly Json[], item: Shape): Json {
  return list.map((one) => formOf(one, item));
}

function formOfMap(map: JsonObject, value: Shape): Json {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, formOf(one, value)]));
}

function formOfQuantity(value: Json): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  try {
    return formatQuantity(readQuantity(value));
  } catch {
    return value;
  }
}

/** Empty fields with omitempty are left out. */
function formOfOuterStruct(value: JsonObject, type: StructType): Json {
  const entries = type.fields.flatMap(({ name, shape, omitEmpty }): [string, Json][] => {
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    if (omitEmpty && isEmpty(one)) return [];
    return [[name, one === undefined || one === null ? zeroOf(shape) : formOf(one, shape)]];
  });
  return Object.fromEntries(entries);
}

function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return !value;
}

function zeroOf(shape: Shape): Json {
  switch (shape.kind) {
    case 'list':
    case 'map':
      return null;
    case 'struct':
      return formOfStruct({}, shape.type);
    case 'special':
      if (shape.special === 'Quantity') return '0';
      return shape.special === 'IntOrString' ? 0 : null;
    case 'scalar':
      if (shape.scalar === 'string') return '';
      return shape.scalar === 'bool' ? false : shape.scalar === 'bytes' ? null : 0;
  }
}
