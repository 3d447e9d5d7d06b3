/**
 * The structural schema of a custom kind: the part of OpenAPI v3 that Kubernetes supports, parsed once from a
 * CustomResourceDefinition, and immutable.
 *
 * A schema has two parts. Its structure (type, properties, items, additionalProperties and the x-kubernetes
 * extensions) defines the fields, for pruning and defaulting. Its value rules (limits, patterns, enums,
 * allOf, anyOf, oneOf, not) only validate the result.
 *
 * Parsing never fails: an invalid part reads as absent. Validation of the CustomResourceDefinition
 * (definition/) has refused it before.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import {
  isGiven,
  readFlag,
  readObjects,
  readStruct,
  readText,
  readTexts,
  type Value,
} from '../../api/validation/json-reading.ts';

export interface Schema {
  /** The JSON as it was written. */
  readonly source: JsonObject;
  /** Empty: any type. */
  readonly type: string;
  readonly format: string;
  readonly isNullable: boolean;
  /** Undefined: there is no default. A default of null counts as none. */
  readonly default: Json | undefined;
  readonly properties: ReadonlyMap<string, Schema>;
  /** For keys that are not properties: their schema, or whether they are allowed. */
  readonly additional: Schema | boolean | undefined;
  readonly items: Schema | undefined;
  readonly preservesUnknown: boolean;
  readonly isEmbedded: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string;
  readonly listMapKeys: readonly string[];
  readonly mapType: string;
  readonly required: readonly string[];
  readonly enum: readonly Json[];
  readonly pattern: string;
  readonly limits: Limits;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  readonly rules: readonly RuleText[];
}

/** A 64-bit integer. */
type Count = number | bigint;

/** Bounds of numbers are doubles, as in Kubernetes. */
export interface Limits {
  readonly maximum: number | undefined;
  readonly isMaximumExclusive: boolean;
  readonly minimum: number | undefined;
  readonly isMinimumExclusive: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: Count | undefined;
  readonly minLength: Count | undefined;
  readonly maxItems: Count | undefined;
  readonly minItems: Count | undefined;
  readonly maxProperties: Count | undefined;
  readonly minProperties: Count | undefined;
  readonly isUnique: boolean;
}

/** A CEL rule, as it was written. */
export interface RuleText {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  /** Undefined: not set. */
  readonly optionalOldSelf: boolean | undefined;
}

const known = new WeakMap<JsonObject, Schema>();

export function readSchema(source: JsonObject): Schema {
  const read = known.get(source) ?? makeSchema(source);
  known.set(source, read);
  return read;
}

function makeSchema(source: JsonObject): Schema {
  const fallback = source['default'];
  return {
    source,
    type: readText(source['type']),
    format: readText(source['format']),
    isNullable: readFlag(source['nullable']),
    default: isGiven(fallback) ? fallback : undefined,
    properties: readProperties(source['properties']),
    additional: readAdditional(source['additionalProperties']),
    items: readOptional(source['items']),
    preservesUnknown: readFlag(source['x-kubernetes-preserve-unknown-fields']),
    isEmbedded: readFlag(source['x-kubernetes-embedded-resource']),
    isIntOrString: readFlag(source['x-kubernetes-int-or-string']),
    listType: readText(source['x-kubernetes-list-type']),
    listMapKeys: readTexts(source['x-kubernetes-list-map-keys']),
    mapType: readText(source['x-kubernetes-map-type']),
    required: readTexts(source['required']),
    enum: Array.isArray(source['enum']) ? source['enum'] : [],
    pattern: readText(source['pattern']),
    limits: readLimits(source),
    allOf: readObjects(source['allOf']).map(readSchema),
    anyOf: readObjects(source['anyOf']).map(readSchema),
    oneOf: readObjects(source['oneOf']).map(readSchema),
    not: readOptional(source['not']),
    rules: readObjects(source['x-kubernetes-validations']).map(readRule),
  };
}

function readProperties(value: Value): ReadonlyMap<string, Schema> {
  const entries = Object.entries(readStruct(value));
  return new Map(entries.map(([name, inner]) => [name, readSchema(readStruct(inner))]));
}

function readAdditional(value: Value): Schema | boolean | undefined {
  if (typeof value === 'boolean') return value;
  return readOptional(value);
}

function readOptional(value: Value): Schema | undefined {
  return isJsonObject(value) ? readSchema(value) : undefined;
}

function readLimits(source: JsonObject): Limits {
  const countIn = (name: string): Count | undefined => {
    const value = source[name];
    return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
  };
  const numberIn = (name: string): number | undefined => {
    const value = countIn(name);
    return value === undefined ? undefined : Number(value);
  };
  return {
    maximum: numberIn('maximum'),
    isMaximumExclusive: readFlag(source['exclusiveMaximum']),
    minimum: numberIn('minimum'),
    isMinimumExclusive: readFlag(source['exclusiveMinimum']),
    multipleOf: numberIn('multipleOf'),
    maxLength: countIn('maxLength'),
    minLength: countIn('minLength'),
    maxItems: countIn('maxItems'),
    minItems: countIn('minItems'),
    maxProperties: countIn('maxProperties'),
    minProperties: countIn('minProperties'),
    isUnique: readFlag(source['uniqueItems']),
  };
}

function readRule(source: JsonObject): RuleText {
  const optional = source['optionalOldSelf'];
  return {
    rule: readText(source['rule']),
    message: readText(source['message']),
    messageExpression: readText(source['messageExpression']),
    reason: readText(source['reason']),
    fieldPath: readText(source['fieldPath']),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  };
}

/** The schema of a property, or of additional properties. Undefined: unknown. */
export function schemaOfField(schema: Schema | undefined, name: string): Schema | undefined {
  const property = schema?.properties.get(name);
  if (property) return property;
  return typeof schema?.additional === 'object' ? schema.additional : undefined;
}

/** Fields that the root of a resource, embedded or not, has implicitly. */
export function isMetaField(name: string): boolean {
  return name === 'apiVersion' || name === 'kind' || name === 'metadata';
}
