/**
 * What makes a schema structural: every field has a type, and that stands outside of allOf, anyOf,
 * oneOf and not. Only then is it clear which fields an object has, whatever its values are.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { messageOf, type FieldError } from '../../field-error.ts';
import { forbidden, invalid, required, type Complaints } from '../../kinds/validation/complaint.ts';
import type { Schema } from '../schema.ts';
import { compilePattern } from '../value/pattern.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Sorted by their sentences, because the fields of a schema have no order. */
export function validateStructure(schema: Schema, place: string): readonly FieldError[] {
  const errors = [
    ...validateNode(schema, 'root', place),
    ...validateCompleteness(schema, schema, place, place),
  ];
  const sentence = (error: FieldError): string => `${error.field}: ${messageOf(error)}`;
  return errors.toSorted((a, b) => (sentence(a) < sentence(b) ? -1 : 1));
}

function* validateNode(schema: Schema, level: Level, place: string): Complaints {
  const { type, items, additional } = schema;
  if (type === 'array' && !items) yield required(`${place}.items`, 'must be specified');
  if (items) yield* validateNode(items, 'item', `${place}.items`);
  for (const [name, property] of schema.properties) {
    yield* validateNode(property, 'field', `${place}.properties[${name}]`);
  }
  if (additional !== undefined && level === 'root') {
    yield forbidden(`${place}.additionalProperties`, 'must not be used at the root');
  }
  if (typeof additional === 'object') {
    yield* validateNode(additional, 'field', `${place}.additionalProperties`);
  }
  yield* validateExtensions(schema, place);
  yield* validateValueRules(schema, isIntOrStringAnyOf(schema), hasIntOrStringAllOf(schema), place);
  yield* validateType(schema, level, place);
  yield* validateMeta(schema, level, place);
}

function* validateExtensions(schema: Schema, place: string): Complaints {
  if (!schema.isIntOrString) return;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  if (schema.preservesUnknown) {
    yield invalid(`${place}.x-kubernetes-preserve-unknown-fields`, true, detail);
  }
  if (schema.isEmbedded) yield invalid(`${place}.x-kubernetes-embedded-resource`, true, detail);
}

function* validateType(schema: Schema, level: Level, place: string): Complaints {
  const { type, isEmbedded, isIntOrString, preservesUnknown } = schema;
  const field = `${place}.type`;
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    yield type === '' ? required(field, detail) : invalid(field, type, detail);
  } else if (type === '' && !isIntOrString && !preservesUnknown) {
    yield required(field, EMPTY_TYPE[level]);
  }
  if (isEmbedded && schema.additional !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    yield forbidden(`${place}.additionalProperties`, detail);
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    yield invalid(field, type, 'must be object at the root');
  }
}

/** What every resource has may be described, but not made into something else. */
function* validateMeta(schema: Schema, level: Level, place: string): Complaints {
  const isResource = level === 'root' || schema.isEmbedded;
  for (const name of ['kind', 'apiVersion']) {
    const property = schema.properties.get(name);
    if (!property || !isResource || property.type === 'string') continue;
    yield invalid(`${place}.properties[${name}].type`, property.type, 'must be string');
  }
  const metadata = schema.properties.get('metadata');
  if (metadata) yield* validateMetadata(metadata, isResource, level, place);
  if (schema.isEmbedded && !schema.preservesUnknown && schema.properties.size === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without ' +
      'x-kubernetes-preserve-unknown-fields';
    yield required(`${place}.properties`, detail);
  }
}

function* validateMetadata(
  metadata: Schema,
  isResource: boolean,
  level: Level,
  place: string,
): Complaints {
  const field = `${place}.properties[metadata]`;
  if (isResource && metadata.type !== 'object') {
    yield invalid(`${field}.type`, metadata.type, 'must be object');
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
  yield forbidden(field, detail);
}

function* validateValueRules(
  schema: Schema,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
  place: string,
): Complaints {
  if (!skipsAnyOf) {
    for (const [index, one] of schema.anyOf.entries()) {
      yield* validateNested(one, false, `${place}.anyOf[${index}]`);
    }
  }
  for (const [index, one] of schema.allOf.entries()) {
    yield* validateNested(one, skipsFirstAllOf && index === 0, `${place}.allOf[${index}]`);
  }
  for (const [index, one] of schema.oneOf.entries()) {
    yield* validateNested(one, false, `${place}.oneOf[${index}]`);
  }
  if (schema.not) yield* validateNested(schema.not, false, `${place}.not`);
  if (schema.pattern === '') return;
  const compiled = compilePattern(schema.pattern);
  if (!('fault' in compiled)) return;
  const detail = `must be a valid regular expression, but isn't: ${compiled.fault}`;
  yield invalid(`${place}.pattern`, schema.pattern, detail);
}

/** What may not stand below a junctor, and how that is said. */
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

function* validateNested(schema: Schema, skipsAnyOf: boolean, place: string): Complaints {
  yield* validateValueRules(schema, skipsAnyOf, false, place);
  if (schema.items) yield* validateNested(schema.items, false, `${place}.items`);
  for (const [name, property] of schema.properties) {
    yield* validateNested(property, false, `${place}.properties[${name}]`);
  }
  for (const [isThere, field, detail] of FORBIDDEN) {
    if (isThere(schema)) yield forbidden(`${place}.${field}`, detail);
  }
  if (schema.properties.has('metadata')) {
    yield forbidden(`${place}.properties[metadata]`, 'must not be specified in a nested context');
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Two schemas that say integer and string are how int-or-string was written before it had a name. */
function isIntOrStringAnyOf({ anyOf }: Schema): boolean {
  const types = anyOf.map(({ source }) => JSON.stringify(source));
  return (
    types.length === 2 && types[0] === '{"type":"integer"}' && types[1] === '{"type":"string"}'
  );
}

function hasIntOrStringAllOf({ allOf }: Schema): boolean {
  const [first] = allOf;
  return first !== undefined && isIntOrStringAnyOf(first);
}

/** What is judged must be described: a field of a junctor stands outside of it as well. */
function* validateCompleteness(
  values: Schema,
  schema: Schema | undefined,
  place: string,
  valuePlace: string,
): Complaints {
  const junctors: readonly (readonly [Schema, string])[] = [
    ...(values.not ? [[values.not, `${valuePlace}.not`] as const] : []),
    ...values.allOf.map((one, index) => [one, `${valuePlace}.allOf[${index}]`] as const),
    ...values.anyOf.map((one, index) => [one, `${valuePlace}.anyOf[${index}]`] as const),
    ...values.oneOf.map((one, index) => [one, `${valuePlace}.oneOf[${index}]`] as const),
  ];
  for (const [one, at] of junctors) yield* validateDescribed(one, schema, place, at);
}

function* validateDescribed(
  values: Schema,
  schema: Schema | undefined,
  place: string,
  valuePlace: string,
): Complaints {
  if (!schema) {
    yield required(place, `because it is defined in ${valuePlace}`);
    return;
  }
  yield* validateCompleteness(values, schema, place, valuePlace);
  if (values.items) {
    yield* validateDescribed(values.items, schema.items, `${place}.items`, `${valuePlace}.items`);
  }
  for (const [name, property] of values.properties) {
    const own = schema.properties.get(name);
    const at = `.properties[${name}]`;
    yield* validateDescribed(property, own, place + at, valuePlace + at);
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

/** Why a schema cannot even be read as a structural one; undefined: it can. */
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
