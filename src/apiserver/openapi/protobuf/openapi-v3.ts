/** The protobuf messages of OpenAPI 3 (gnostic's openapi.v3), as far as podkeep's documents use them. */
import { isJsonObject } from '../../../lib/json.ts';
import { any, choice, doubleField, flag, inside, integer, message } from './field-writers.ts';
import {
  namedValues,
  repeated,
  textField,
  writeDouble,
  writeFlag,
  writeText,
} from './field-writers.ts';
import type { Fields, WriteField } from './field-writers.ts';
import { texts, valueRules } from './schema-fields.ts';

export const DOCUMENT_EXTENSIONS_V3 = 9;

export const documentFieldsV3: Fields = () => ({
  openapi: [1, textField],
  info: [2, message(() => ({ title: [1, textField], version: [6, textField] }))],
  paths: [4, inside(namedValues(pathItem))],
  components: [5, components],
});

const components = message(() => ({
  schemas: [1, inside(namedValues(schemaOrReference))],
  securitySchemes: [7, inside(namedValues(orReference(securityScheme)))],
}));

const securityScheme = message(() => ({
  type: [1, textField],
  description: [2, textField],
  name: [3, textField],
  in: [4, textField],
}));

const pathItem = message(
  () => ({
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    parameters: [13, repeated(orReference(parameter))],
  }),
  14,
);

const operation = message(
  () => ({
    tags: [1, texts],
    description: [3, textField],
    operationId: [5, textField],
    parameters: [6, repeated(orReference(parameter))],
    requestBody: [7, orReference(requestBody)],
    responses: [8, inside(namedValues(orReference(response)), 2)],
  }),
  13,
);

const parameter = message(() => ({
  name: [1, textField],
  in: [2, textField],
  description: [3, textField],
  required: [4, flag],
  schema: [10, schemaOrReference],
}));

const requestBody = message(() => ({ content: [2, content], required: [3, flag] }));

const response = message(() => ({ description: [1, textField], content: [3, content] }));

const content: WriteField = inside(
  namedValues(message(() => ({ schema: [1, (...field) => schemaOrReference(...field)] }))),
);

const reference = message(() => ({ $ref: [1, textField] }));

const schema: WriteField = message(
  () => ({
    nullable: [1, flag],
    externalDocs: [6, message(() => ({ description: [1, textField], url: [2, textField] }))],
    example: [7, any],
    title: [9, textField],
    multipleOf: [10, doubleField],
    ...valueRules(11),
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, texts],
    enum: [24, repeated(any)],
    type: [25, textField],
    allOf: [26, repeated(schemaOrReference)],
    oneOf: [27, repeated(schemaOrReference)],
    anyOf: [28, repeated(schemaOrReference)],
    not: [29, schema],
    items: [30, inside(schemaOrReference)],
    properties: [31, inside(namedValues(schemaOrReference))],
    additionalProperties: [
      32,
      choice((value) => (typeof value === 'boolean' ? [2, writeFlag] : [1, schemaOrReference])),
    ],
    default: [33, defaultValue],
    description: [34, textField],
    format: [35, textField],
  }),
  36,
);

const schemaOrReference = orReference(schema);

/** Objects and lists have no field in this message, so they leave it empty. */
const defaultValue = choice((value) => {
  if (typeof value === 'number') return [1, writeDouble];
  if (typeof value === 'boolean') return [2, writeFlag];
  return typeof value === 'string' ? [3, writeText] : undefined;
});

/** A message with the value (1), or a reference to it (2). */
function orReference(write: WriteField): WriteField {
  return choice((value) =>
    isJsonObject(value) && typeof value['$ref'] === 'string' ? [2, reference] : [1, write],
  );
}
