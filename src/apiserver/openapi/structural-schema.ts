/**
 * Converts the structural schema of a custom kind for each OpenAPI version.
 *
 * OpenAPI 3 can express all of it; `x-kubernetes-int-or-string` becomes an anyOf of integer and string.
 * OpenAPI 2 has no alternatives, no null and no defaults; values that it cannot express have no type.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../../api/values/json-equal.ts';
import { mapSchema } from './schema-walk.ts';

export const PRESERVES_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';

const INT_OR_STRING = 'x-kubernetes-int-or-string';
const ALTERNATIVES: readonly Json[] = [{ type: 'integer' }, { type: 'string' }];
const JUNCTORS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not']);
const SHAPE: ReadonlySet<string> = new Set(['items', 'properties']);

export function isTrue(schema: JsonObject, key: string): boolean {
  return schema[key] === true;
}

/** For OpenAPI 3. */
export function withAlternatives(schema: JsonObject): JsonObject {
  return mapSchema(schema, (one) => {
    if (!isTrue(one, INT_OR_STRING) || saysAlternatives(one)) return one;
    const { anyOf, allOf } = one;
    if (anyOf === undefined) return { ...one, anyOf: ALTERNATIVES };
    return { ...one, allOf: [{ anyOf: ALTERNATIVES }, ...listOf(allOf)] };
  });
}

/** For OpenAPI 2. */
export function forVersion2(schema: JsonObject): JsonObject {
  return mapSchema(schema, (one) => {
    const isOpen = isTrue(one, PRESERVES_UNKNOWN);
    const isNullable = isTrue(one, 'nullable');
    const plain = without(
      one,
      (key) =>
        JUNCTORS.has(key) ||
        key === 'nullable' ||
        key === 'default' ||
        ((isOpen || isNullable) && SHAPE.has(key)),
    );
    const { type } = plain;
    const isLost =
      isNullable || (isOpen && type === 'object') || (type === 'array' && !('items' in plain));
    return withoutNullable(isLost ? without(plain, (key) => key === 'type') : plain);
  });
}

/** A nullable field cannot be required in OpenAPI 2, because null cannot be expressed. */
function withoutNullable(schema: JsonObject): JsonObject {
  const { required, properties, additionalProperties } = schema;
  if (required === undefined) return schema;
  const mayBeNull = (name: Json): boolean => {
    const property = isJsonObject(properties) ? ownValue(properties, name) : undefined;
    return isJsonObject(property) && isTrue(property, 'nullable');
  };
  const isOpenMap = isJsonObject(additionalProperties) && isTrue(additionalProperties, 'nullable');
  const kept = isOpenMap ? [] : listOf(required).filter((name) => !mayBeNull(name));
  return kept.length === 0
    ? without(schema, (key) => key === 'required')
    : { ...schema, required: kept };
}

function saysAlternatives({ anyOf, allOf }: JsonObject): boolean {
  if (isAlternatives(anyOf)) return true;
  const [first] = listOf(allOf);
  return isJsonObject(first) && isAlternatives(first['anyOf']);
}

function isAlternatives(value: Json | undefined): boolean {
  return value !== undefined && jsonEqual(value, ALTERNATIVES);
}

function without(schema: JsonObject, isLeftOut: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !isLeftOut(key)));
}

function ownValue(object: JsonObject, key: Json): Json | undefined {
  return typeof key === 'string' && Object.hasOwn(object, key) ? object[key] : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
