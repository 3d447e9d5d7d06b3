/** Whether a value is as a schema of OpenAPI 3.0 says, as far as our documents use it. */
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Problems, each with the path of its field; none: the value is valid. */
export function* schemaProblems(
  document: JsonObject,
  schema: JsonObject,
  value: Json | undefined,
  path = '$',
): Generator<string> {
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    return yield* schemaProblems(document, resolve(document, $ref), value, path);
  }
  if (value === null && schema['nullable'] === true) return;
  if (!isOfType(schema['type'], value))
    return yield `${path}: not ${JSON.stringify(schema['type'])}`;
  const choices = schema['enum'];
  if (Array.isArray(choices) && !choices.includes(value))
    yield `${path}: not one of ${choices.join(', ')}`;
  if (schema['format'] === 'date-time' && !(typeof value === 'string' && DATE_TIME.test(value)))
    yield `${path}: no time`;
  if (typeof schema['minimum'] === 'number' && Number(value) < schema['minimum']) {
    yield `${path}: too small`;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* schemaProblems(document, objectIn(schema, 'items'), item, `${path}[${index}]`);
    }
  } else if (isJsonObject(value)) yield* objectProblems(document, schema, value, path);
}

function* objectProblems(
  document: JsonObject,
  schema: JsonObject,
  value: JsonObject,
  path: string,
): Generator<string> {
  const properties = objectIn(schema, 'properties');
  const required = schema['required'];
  for (const name of Array.isArray(required) ? required : []) {
    if (!Object.hasOwn(value, name)) yield `${path}.${name}: missing`;
  }
  const more = schema['additionalProperties'];
  for (const [name, inner] of Object.entries(value)) {
    const known = properties[name] ?? (isJsonObject(more) ? more : undefined);
    if (isJsonObject(known)) yield* schemaProblems(document, known, inner, `${path}.${name}`);
    else if (more === false) yield `${path}.${name}: not in the document`;
  }
}

function isOfType(type: Json | undefined, value: Json | undefined): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function resolve(document: JsonObject, ref: string): JsonObject {
  return ref
    .slice('#/'.length)
    .split('/')
    .reduce((object, name) => objectIn(object, name), document);
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}
