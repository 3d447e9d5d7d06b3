/**
 * Checks that a schema is structural: every field has a type outside of allOf, anyOf, oneOf and not. Only
 * then the schema determines the fields of an object independently of its values.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { fieldErrorMessage, type FieldError } from '../../../api/validation/field-error.ts';
import {
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import type { Schema } from '../../schema/schema.ts';
import { compilePattern } from '../../../lib/re2/pattern.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Sorted by their sentences, because the fields of a schema have no order. */
export function validateStructure(schema: Schema, fieldPath: string): readonly FieldError[] {
  const errors = [
    ...validateNode(schema, 'root', fieldPath),
    ...validateCompleteness(schema, schema, fieldPath, fieldPath),
  ];
  const sentence = (error: FieldError): string => `${error.field}: ${fieldErrorMessage(error)}`;
  return errors.toSorted((a, b) => (sentence(a) < sentence(b) ? -1 : 1));
}

function* validateNode(schema: Schema, level: Level, fieldPath: string): FieldErrors {
  const { type, items, additional } = schema;
  if (type === 'array' && !items) yield required(`${fieldPath}.items`, 'must be specified');
  if (items) yield* validateNode(items, 'item', `${fieldPath}.items`);
  for (const [name, property] of schema.properties) {
    yield* validateNode(property, 'field', `${fieldPath}.properties[${name}]`);
  }
  if (additional !== undefined && level === 'root') {
    yield forbiddenField(`${fieldPath}.additionalProperties`, 'must not be used at the root');
  }
  if (typeof additional === 'object') {
    yield* validateNode(additional, 'field', `${fieldPath}.additionalProperties`);
  }
  yield* validateExtensions(schema, fieldPath);
  yield* validateValueRules(
    schema,
    isIntOrStringAnyOf(schema),
    hasIntOrStringAllOf(schema),
    fieldPath,
  );
  yield* validateType(schema, level, fieldPath);
  yield* validateMeta(schema, level, fieldPath);
}

function* validateExtensions(schema: Schema, fieldPath: string): FieldErrors {
  if (!schema.isIntOrString) return;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  if (schema.preservesUnknown) {
    yield invalidField(`${fieldPath}.x-kubernetes-preserve-unknown-fields`, true, detail);
  }
  if (schema.isEmbedded)
    yield invalidField(`${fieldPath}.x-kubernetes-embedded-resource`, true, detail);
}

function* validateType(schema: Schema, level: Level, fieldPath: string): FieldErrors {
  const { type, isEmbedded, isIntOrString, preservesUnknown } = schema;
  const field = `${fieldPath}.type`;
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    yield type === '' ? required(field, detail) : invalidField(field, type, detail);
  } else if (type === '' && !isIntOrString && !preservesUnknown) {
    yield required(field, EMPTY_TYPE[level]);
  }
  if (isEmbedded && schema.additional !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    yield forbiddenField(`${fieldPath}.additionalProperties`, detail);
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    yield invalidField(field, type, 'must be object at the root');
  }
}

/** apiVersion, kind and metadata may be described, but not redefined. */
function* validateMeta(schema: Schema, level: Level, fieldPath: string): FieldErrors {
  const isResource = level === 'root' || schema.isEmbedded;
  for (const name of ['kind', 'apiVersion']) {
    const property = schema.properties.get(name);
    if (!property || !isResource || property.type === 'string') continue;
    yield invalidField(`${fieldPath}.properties[${name}].type`, property.type, 'must be string');
  }
  const metadata = schema.properties.get('metadata');
  if (metadata) yield* validateMetadata(metadata, isResource, level, fieldPath);
  if (schema.isEmbedded && !schema.preservesUnknown && schema.properties.size === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without ' +
      'x-kubernetes-preserve-unknown-fields';
    yield required(`${fieldPath}.properties`, detail);
  }
}

function* validateMetadata(
  metadata: Schema,
  isResource: boolean,
  level: Level,
  fieldPath: string,
): FieldErrors {
  const field = `${fieldPath}.properties[metadata]`;
  if (isResource && metadata.type !== 'object') {
    yield invalidField(`${field}.type`, metadata.type, 'must be object');
  }
  if (level !== 'root') return;
  const names = [...metadata.properties.keys()];
  const isRestricted = names.every((name) => name === 'name' || name === 'generateName');
  const others = Object.keys(metadata.source).filter(
    (name) => !['type', 'properties', 'default'].includes(name),
  );
  if (isRestricted && others.length === 0) return;
  const detail =
    'must not specify anything other than name and generateName, but metadata is implicitly specified';
  yield forbiddenField(field, detail);
}

function* validateValueRules(
  schema: Schema,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  fieldPath: string,
): FieldErrors {
  if (!skipsAnyOf) {
    for (const [index, one] of schema.anyOf.entries()) {
      yield* validateNested(one, false, `${fieldPath}.anyOf[${index}]`);
    }
  }
  for (const [index, one] of schema.allOf.entries()) {
    yield* validateNested(one, skipsFirstAllOf && index === 0, `${fieldPath}.allOf[${index}]`);
  }
  for (const [index, one] of schema.oneOf.entries()) {
    yield* validateNested(one, false, `${fieldPath}.oneOf[${index}]`);
  }
  if (schema.not) yield* validateNested(schema.not, false, `${fieldPath}.not`);
  if (schema.pattern === '') return;
  const compiled = compilePattern(schema.pattern);
  if (!('fault' in compiled)) return;
  const detail = `must be a valid regular expression, but isn't: ${compiled.fault}`;
  yield invalidField(`${fieldPath}.pattern`, schema.pattern, detail);
}

/** What is not allowed inside a junctor, and the sentence about it. */
const FORBIDDEN: readonly (readonly [(schema: Schema) => boolean, string, string])[] = [
  [({ type }) => type !== '', 'type', 'must be empty to be structural'],
  [
    ({ additional }) => additional !== undefined && additional !== false,
    'additionalProperties',
    'must be undefined to be structural',
  ],
  [({ default: value }) => value !== undefined, 'default', 'must be undefined to be structural'],
  [({ source }) => isText(source['title']), 'title', 'must be empty to be structural'],
  [({ source }) => isText(source['description']), 'description', 'must be empty to be structural'],
  [({ isNullable }) => isNullable, 'nullable', 'must be false to be structural'],
  [
    ({ preservesUnknown }) => preservesUnknown,
    'x-kubernetes-preserve-unknown-fields',
    'must be false to be structural',
  ],
  [
    ({ isEmbedded }) => isEmbedded,
    'x-kubernetes-embedded-resource',
    'must be false to be structural',
  ],
  [
    ({ isIntOrString }) => isIntOrString,
    'x-kubernetes-int-or-string',
    'must be false to be structural',
  ],
  [
    ({ listMapKeys }) => listMapKeys.length > 0,
    'x-kubernetes-list-map-keys',
    'must be empty to be structural',
  ],
  [
    ({ listType }) => listType !== '',
    'x-kubernetes-list-type',
    'must be undefined to be structural',
  ],
  [({ mapType }) => mapType !== '', 'x-kubernetes-map-type', 'must be undefined to be structural'],
  [({ rules }) => rules.length > 0, 'x-kubernetes-validations', 'must be empty to be structural'],
];

function* validateNested(schema: Schema, skipsAnyOf: boolean, fieldPath: string): FieldErrors {
  yield* validateValueRules(schema, skipsAnyOf, false, fieldPath);
  if (schema.items) yield* validateNested(schema.items, false, `${fieldPath}.items`);
  for (const [name, property] of schema.properties) {
    yield* validateNested(property, false, `${fieldPath}.properties[${name}]`);
  }
  for (const [isThere, field, detail] of FORBIDDEN) {
    if (isThere(schema)) yield forbiddenField(`${fieldPath}.${field}`, detail);
  }
  if (schema.properties.has('metadata')) {
    yield forbiddenField(
      `${fieldPath}.properties[metadata]`,
      'must not be specified in a nested context',
    );
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Two schemas of types integer and string: how int-or-string was written before it had a name. */
function isIntOrStringAnyOf({ anyOf }: Schema): boolean {
  const types = anyOf.map(({ source }) => printExactJson(source));
  return (
    types.length === 2 && types[0] === '{"type":"integer"}' && types[1] === '{"type":"string"}'
  );
}

function hasIntOrStringAllOf({ allOf }: Schema): boolean {
  const [first] = allOf;
  return first !== undefined && isIntOrStringAnyOf(first);
}

/** A field that a junctor constrains must also be described outside of it. */
function* validateCompleteness(
  values: Schema,
  schema: Schema | undefined,
  fieldPath: string,
  valuePath: string,
): FieldErrors {
  const junctors: readonly (readonly [Schema, string])[] = [
    ...(values.not ? [[values.not, `${valuePath}.not`] as const] : []),
    ...values.allOf.map((one, index) => [one, `${valuePath}.allOf[${index}]`] as const),
    ...values.anyOf.map((one, index) => [one, `${valuePath}.anyOf[${index}]`] as const),
    ...values.oneOf.map((one, index) => [one, `${valuePath}.oneOf[${index}]`] as const),
  ];
  for (const [one, at] of junctors) yield* validateDescribed(one, schema, fieldPath, at);
}

function* validateDescribed(
  values: Schema,
  schema: Schema | undefined,
  fieldPath: string,
  valuePath: string,
): FieldErrors {
  if (!schema) {
    yield required(fieldPath, `because it is defined in ${valuePath}`);
    return;
  }
  yield* validateCompleteness(values, schema, fieldPath, valuePath);
  if (values.items) {
    yield* validateDescribed(
      values.items,
      schema.items,
      `${fieldPath}.items`,
      `${valuePath}.items`,
    );
  }
  for (const [name, property] of values.properties) {
    const own = schema.properties.get(name);
    const at = `.properties[${name}]`;
    yield* validateDescribed(property, own, fieldPath + at, valuePath + at);
  }
}

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

/** Why a schema cannot be read as a structural one; undefined: it can. */
export function findUnsupported(source: JsonObject): string | undefined {
  for (const [name, shown] of UNSUPPORTED) {
    const value = source[name];
    if (value === undefined || value === null || value === '') continue;
    if (isJsonObject(value) && Object.keys(value).length === 0) continue;
    return `OpenAPIV3Schema '${shown}' is not supported`;
  }
  if (source['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(source['items']) && source['items'].length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const inner of schemasIn(source)) {
    const found = findUnsupported(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schemas directly inside one. */
function schemasIn(source: JsonObject): readonly JsonObject[] {
  const { items, properties, additionalProperties, not, allOf, anyOf, oneOf } = source;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const named = isJsonObject(properties) ? Object.values(properties) : [];
  return [items, additionalProperties, not, ...lists, ...named].filter(isJsonObject);
}
