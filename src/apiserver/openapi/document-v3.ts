/** Builds an OpenAPI 3 document: some paths, and all definitions that they use. */
import type { JsonObject } from '../../lib/json.ts';
import { shareParameters } from './common-parameters.ts';
import { KINDS, kindText, type Definitions } from './definitions.ts';
import type { OperationAnswer, Body, Operation, Parameter, Path } from './spec.ts';

export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  /** False: the document does not describe authentication. */
  readonly hasSecurity: boolean;
}

export const BEARER_TOKEN: JsonObject = {
  description: 'A bearer token in the header',
  in: 'header',
  name: 'authorization',
  type: 'apiKey',
};

export function documentV3(
  info: DocumentInfo,
  paths: readonly Path[],
  definitions: Definitions,
): JsonObject {
  const { title, version, hasSecurity } = info;
  const written = paths
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, operations }) => [path, pathItem(operations, definitions)] as const);
  const securitySchemes = hasSecurity ? { BearerToken: BEARER_TOKEN } : undefined;
  return {
    openapi: '3.0.0',
    info: { title, version },
    paths: Object.fromEntries(written),
    components: { schemas: definitions.all(), ...(securitySchemes && { securitySchemes }) },
  };
}

function pathItem(operations: readonly Operation[], definitions: Definitions): JsonObject {
  const { common, own } = shareParameters(operations);
  const described = operations.map((operation) => {
    const parameters = own(operation).map(parameterText);
    return [operation.method, operationText(operation, parameters, definitions)] as const;
  });
  return {
    ...Object.fromEntries(described),
    ...(common.length > 0 && { parameters: common.map(parameterText) }),
  };
}

function operationText(
  operation: Operation,
  parameters: readonly JsonObject[],
  definitions: Definitions,
): JsonObject {
  const { tag, description, id, body, consumes, produces, answers, action, kind } = operation;
  const responses = answers.map(
    (answer) => [String(answer.code), answerText(answer, produces, definitions)] as const,
  );
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: bodyText(body, consumes, definitions) }),
    responses: Object.fromEntries(responses),
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { [KINDS]: kindText(kind) }),
  };
}

function parameterText({ name, in: place, type, description }: Parameter): JsonObject {
  const required = place === 'path';
  const schema = { type, uniqueItems: true };
  return { name, in: place, description, ...(required && { required }), schema };
}

function bodyText(body: Body, media: readonly string[], definitions: Definitions): JsonObject {
  const content = contentText(definitions.schemaOf(body.content), media);
  return { content, ...(body.isRequired && { required: true }) };
}

function answerText(
  { description, content }: OperationAnswer,
  media: readonly string[],
  definitions: Definitions,
): JsonObject {
  if (!content) return { description };
  return { description, content: contentText(definitions.schemaOf(content), media) };
}

function contentText(schema: JsonObject, media: readonly string[]): JsonObject {
  return Object.fromEntries(media.toSorted().map((type) => [type, { schema }]));
}
