/** The protobuf messages of OpenAPI 2 (gnostic's openapi.v2), as far as podkeep's documents use them. */
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { any, choice, flag, inside, integer, message, namedValues } from './field-writers.ts';
import { doubleField, repeated, textField, writeFlag, type Fields } from './field-writers.ts';
import { texts, valueRules } from './schema-fields.ts';

export const DOCUMENT_EXTENSIONS_V2 = 16;

export const documentFieldsV2: Fields = () => ({
  swagger: [1, textField],
  info: [2, message(() => ({ title: [1, textField], version: [2, textField] }))],
  paths: [8, inside(namedValues(pathItem), 2)],
  definitions: [9, inside(namedValues(schema))],
  parameters: [10, inside(namedValues(parameter))],
  security: [12, repeated(inside(namedValues(inside(texts))))],
  securityDefinitions: [13, inside(namedValues(inside(apiKey, 2)))],
});

const apiKey = message(() => ({
  type: [1, textField],
  name: [2, textField],
  in: [3, textField],
  description: [4, textField],
}));

const pathItem = message(
  () => ({
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, repeated(parameterOrReference)],
  }),
  10,
);

const operation = message(
  () => ({
    tags: [1, texts],
    description: [3, textField],
    operationId: [5, textField],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, repeated(parameterOrReference)],
    responses: [9, inside(namedValues(inside(response)))],
    schemes: [10, texts],
  }),
  13,
);

const response = message(() => ({ description: [1, textField], schema: [2, inside(schema)] }));

const reference = message(() => ({ $ref: [1, textField], description: [2, textField] }));

const parameterOrReference = choice((value) =>
  isReference(value) ? [2, reference] : [1, parameter],
);

const parameter = choice((value) =>
  placeOf(value) === 'body' ? [1, bodyParameter] : [2, otherParameter],
);

const bodyParameter = message(() => ({
  description: [1, textField],
  name: [2, textField],
  in: [3, textField],
  required: [4, flag],
  schema: [5, schema],
}));

const otherParameter = choice((value) =>
  placeOf(value) === 'path' ? [4, pathParameter] : [3, queryParameter],
);

const pathParameter = message(() => ({
  required: [1, flag],
  in: [2, textField],
  description: [3, textField],
  name: [4, textField],
  type: [5, textField],
  uniqueItems: [19, flag],
}));

const queryParameter = message(() => ({
  required: [1, flag],
  in: [2, textField],
  description: [3, textField],
  name: [4, textField],
  type: [6, textField],
  uniqueItems: [20, flag],
}));

const schema = message(
  () => ({
    $ref: [1, textField],
    format: [2, textField],
    title: [3, textField],
    description: [4, textField],
    default: [5, any],
    multipleOf: [6, doubleField],
    ...valueRules(7),
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, texts],
    enum: [20, repeated(any)],
    additionalProperties: [
      21,
      choice((value) => (typeof value === 'boolean' ? [2, writeFlag] : [1, schema])),
    ],
    type: [22, (writer, number, value) => inside(texts)(writer, number, [value])],
    items: [23, inside(schema)],
    allOf: [24, repeated(schema)],
    properties: [25, inside(namedValues(schema))],
    externalDocs: [29, message(() => ({ description: [1, textField], url: [2, textField] }))],
    example: [30, any],
  }),
  31,
);

function isReference(value: Json): boolean {
  return isJsonObject(value) && typeof value['$ref'] === 'string';
}

function placeOf(value: Json): Json | undefined {
  return isJsonObject(value) ? value['in'] : undefined;
}
