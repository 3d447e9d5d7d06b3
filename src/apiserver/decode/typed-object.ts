/**
 * Decodes a JSON value as an object of a built-in kind: refuses wrong types and invalid times and quantities,
 * and drops and reports unknown fields.
 *
 * The result is what kube-apiserver has after decoding: nulls are dropped, and unknown fields are never
 * stored.
 *
 * Values that an update shares with the old object (the very same objects in memory) are not decoded again
 * and stay the same objects, so that later steps can skip them, too.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { parseGoDuration } from '../../api/values/time-duration.ts';
import { parseMicroTime, parseTime } from '../../api/values/time.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import { structOf } from '../../api/schema/schema.ts';
import type { Field, Scalar, Shape, Special, StructType } from '../../api/schema/shape.ts';
import { goKindOf } from './go-value.ts';
import { isValueTooDeep, NESTING_MAX } from './nesting.ts';

export interface TypedObject {
  readonly object: JsonObject;
  /** Paths of unknown fields. */
  readonly unknown: readonly string[];
}

/** The value does not have the type of its field. The message names the field. */
export class WrongType extends Error {
  override readonly name = 'WrongType';
  /** The message for a value that is converted rather than decoded, as by a strategic merge patch. */
  readonly conversion: string;

  constructor(message: string, conversion = message) {
    super(message);
    this.conversion = conversion;
  }
}

const NOTHING: JsonObject = {};

/** `known`: an object that was decoded before, with which `value` may share parts. */
export function readTyped(value: JsonObject, type: StructType, known?: JsonObject): TypedObject {
  const unknown: string[] = [];
  const object = readStruct(value, type, '', unknown, 0, known);
  return { object, unknown };
}

function readStruct(
  value: JsonObject,
  type: StructType,
  path: string,
  unknown: string[],
  depth: number,
  known?: Json,
): JsonObject {
  if (depth > NESTING_MAX) throw new WrongType(`${path} is nested too deeply`);
  if (value === known) return value;
  const before = isJsonObject(known) ? known : NOTHING;
  const fields: [string, Json][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const field = type.field(name);
    if (!field) addUnknown(unknown, at);
    else if (inner !== null || keepsNull(field)) {
      const read =
        inner === null
          ? null
          : readValue(inner, field.shape, at, unknown, depth, ownOf(before, name));
      fields.push([name, read]);
    }
  }
  return Object.fromEntries(fields);
}

/** The limit of Kubernetes' decoder. */
export const UNKNOWN_MAX = 100;

function addUnknown(unknown: string[], path: string): void {
  if (unknown.length < UNKNOWN_MAX) unknown.push(path);
}

function ownOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function itemOf(list: Json | undefined, index: number): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const items: readonly Json[] = list;
  return items[index];
}

/** A time that may be empty is printed as null instead of being omitted. */
function keepsNull({ shape, omitEmpty }: Field): boolean {
  return !omitEmpty && shape.kind === 'special';
}

function readValue(
  value: Json,
  shape: Shape,
  path: string,
  unknown: string[],
  depth: number,
  known?: Json,
): Json {
  if (value === known) return value;
  switch (shape.kind) {
    case 'scalar':
      checkScalar(value, shape.scalar, path);
      return typeof value === 'bigint' ? readInteger(value, shape.scalar) : value;
    case 'special':
      if (typeof value === 'bigint' && shape.special === 'Quantity') return String(value);
      if (isSchemaSpecial(shape.special)) return readSchemas(value, shape.special, path, depth);
      checkSpecial(value, shape.special, path);
      // The schema ends here, but the value may nest deeper: patches can add level by level.
      if (isValueTooDeep(value, NESTING_MAX - depth)) {
        throw new WrongType(`${path} is nested too deeply`);
      }
      return value;
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, path, 'a list');
      return value.map((item: Json, index) =>
        item === null && shape.item.kind !== 'struct'
          ? null
          : readValue(
              item ?? {},
              shape.item,
              `${path}[${index}]`,
              unknown,
              depth + 1,
              itemOf(known, index),
            ),
      );
    case 'map':
      if (!isJsonObject(value)) throw wrongType(value, path, 'a map');
      if (shape.value.kind === 'scalar' && isScalarMap(value, shape.value.scalar, path)) {
        return value;
      }
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          inner === null
            ? zeroOf(shape.value)
            : readValue(inner, shape.value, `${path}.${key}`, unknown, depth + 1),
        ]),
      );
    case 'struct':
      if (!isJsonObject(value)) throw wrongType(value, path, 'an object');
      return readStruct(value, shape.type, path, unknown, depth + 1, known);
  }
}

/** Checks all values. False: one of them is null. Such maps can be large, so they are not copied. */
function isScalarMap(map: JsonObject, scalar: Scalar, path: string): boolean {
  let isWhole = true;
  for (const key of Object.keys(map)) {
    const value = map[key] ?? null;
    if (value === null) isWhole = false;
    // Most values are strings, for which no path is needed.
    else if (scalar !== 'string' || typeof value !== 'string') {
      checkScalar(value, scalar, `${path}.${key}`);
    }
  }
  return isWhole;
}

function checkScalar(value: Json, scalar: Scalar, path: string): void {
  switch (scalar) {
    case 'string':
      if (typeof value !== 'string') throw wrongType(value, path, 'string');
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw wrongType(value, path, 'bool');
      return;
    case 'bytes':
      if (typeof value !== 'string') throw wrongType(value, path, 'base64 text');
      if (!BASE64.test(value)) throw new WrongType(`illegal base64 data in field ${path}`);
      return;
    case 'float':
    case 'double':
      if (typeof value !== 'number' && typeof value !== 'bigint')
        throw wrongType(value, path, 'a number');
      return;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      if (!fitsInteger(value, scalar)) throw wrongType(value, path, scalar);
  }
}

/** A field of type double stays a double, however it is written. */
function readInteger(value: bigint, scalar: Scalar): Json {
  return scalar === 'float' || scalar === 'double' ? Number(value) : value;
}

function fitsInteger(value: Json, scalar: keyof typeof INTEGER_MAX): boolean {
  // A bigint is a 64-bit integer beyond 2^53.
  if (typeof value === 'bigint') return scalar === 'int64' || (scalar === 'uint64' && value > 0n);
  return Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MAX[scalar];
}

/** A JSON schema, or one of the values that the API allows instead. */
type SchemaSpecial = Extract<Special, `JSONSchemaProps${string}`>;

function isSchemaSpecial(special: Special): special is SchemaSpecial {
  return special.startsWith('JSONSchemaProps');
}

/** Go decodes these with its own code, which does not report unknown fields. */
function readSchemas(value: Json, special: SchemaSpecial, path: string, depth: number): Json {
  const read = (one: Json): Json => {
    if (!isJsonObject(one)) throw wrongType(one, path, 'JSONSchemaProps');
    return readStruct(one, structOf('apiextensions/v1.JSONSchemaProps'), path, [], depth + 1);
  };
  if (special === 'JSONSchemaPropsOrBool' && typeof value === 'boolean') return value;
  if (special === 'JSONSchemaPropsOrBool' || !Array.isArray(value)) return read(value);
  const items: readonly Json[] = value;
  if (special === 'JSONSchemaPropsOrArray') return items.map(read);
  return items.map((item) => {
    checkScalar(item, 'string', path);
    return item;
  });
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const INTEGER_MAX = {
  int32: 2 ** 31,
  uint32: 2 ** 32 - 1,
  int64: Number.MAX_SAFE_INTEGER,
  uint64: Number.MAX_SAFE_INTEGER,
};

function checkSpecial(value: Json, special: Special, path: string): void {
  try {
    if (special === 'Quantity') {
      if (typeof value !== 'string' && typeof value !== 'number')
        throw wrongType(value, path, 'a quantity');
      readQuantity(value);
    } else if (special === 'Time' || special === 'MicroTime' || special === 'Duration') {
      if (typeof value !== 'string') throw wrongType(value, path, 'text');
      if (special === 'Time') parseTime(value);
      else if (special === 'MicroTime') parseMicroTime(value);
      else parseGoDuration(value);
    } else if (special === 'IntOrString') {
      if (typeof value !== 'string' && !Number.isInteger(value)) {
        throw wrongType(value, path, 'an integer or text');
      }
    } else if ((special === 'RawExtension' || special === 'FieldsV1') && !isJsonObject(value)) {
      throw wrongType(value, path, 'an object');
    }
  } catch (error) {
    if (error instanceof WrongType) throw error;
    const why = error instanceof Error ? error.message : String(error);
    // For a quantity, Kubernetes reports the problem but not the field.
    throw new WrongType(special === 'Quantity' ? reasonOf(why) : `field ${path}: ${why}`);
  }
}

function reasonOf(message: string): string {
  const marker = ' is not valid: ';
  const at = message.indexOf(marker);
  return at < 0 ? message : message.slice(at + marker.length);
}

function zeroOf(shape: Shape): Json {
  if (shape.kind === 'scalar')
    return shape.scalar === 'string' || shape.scalar === 'bytes' ? '' : 0;
  if (shape.kind === 'list') return [];
  return shape.kind === 'special' ? '0' : {};
}

function wrongType(value: Json, path: string, expected: string): WrongType {
  return new WrongType(
    `json: cannot unmarshal ${kindOf(value)} into field ${path} of type ${expected}`,
    describeConversion(goKindOf(value), expected),
  );
}

/** Go converts only numbers: to strings and to other numbers. */
function describeConversion(kind: string, expected: string): string {
  if (expected === 'a list' || expected === 'base64 text') {
    return `cannot restore slice from ${kind}`;
  }
  if (expected === 'a map') return `cannot restore map from ${kind}`;
  if (expected === 'an object') return `cannot restore struct from: ${kind}`;
  const type = expected === 'a number' ? 'float64' : expected;
  const isConvertible =
    type === 'string' ? kind === 'int64' : kind === 'float64' && type !== 'bool';
  return isConvertible ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${type}`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
}
