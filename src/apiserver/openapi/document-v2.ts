/**
 * Builds the OpenAPI 2 document: everything that the server serves, in one document. Common parameters are
 * written once and referenced.
 */
import type { JsonObject } from '../../lib/json.ts';
import { shareParameters } from './common-parameters.ts';
import { KINDS, kindText, type Definitions } from './definitions.ts';
import { BEARER_TOKEN, type DocumentInfo } from './document-v3.ts';
import { ParameterPool, type WrittenParameter } from './parameter-pool.ts';
import type { OperationAnswer, Operation, Parameter, Path } from './spec.ts';

export function documentV2(
  { title, version }: DocumentInfo,
  paths: readonly Path[],
  definitions: Definitions,
): JsonObject {
  const pool = new ParameterPool();
  const written = paths
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, operations }) => [path, pathItem(operations, definitions, pool)] as const);
  return {
    swagger: '2.0',
    info: { title, version },
    paths: Object.fromEntries(written),
    definitions: definitions.all(),
    parameters: pool.all(),
    securityDefinitions: { BearerToken: BEARER_TOKEN },
    security: [{ BearerToken: [] }],
  };
}

function pathItem(
  operations: readonly Operation[],
  definitions: Definitions,
  pool: ParameterPool,
): JsonObject {
  const { common, own } = shareParameters(operations);
  const described = operations.map((operation) => {
    const parameters = [...bodyText(operation, definitions), ...own(operation).map(parameterText)];
    const shared = parameters.map((one) => pool.share(one));
    return [operation.method, operationText(operation, shared, definitions)] as const;
  });
  const parameters = common.map((one) => pool.share(parameterText(one)));
  return { ...Object.fromEntries(described), ...(parameters.length > 0 && { parameters }) };
}

function operationText(
  operation: Operation,
  parameters: readonly JsonObject[],
  definitions: Definitions,
): JsonObject {
  const { tag, description, id, consumes, produces, answers, action, kind } = operation;
  const responses = answers.map(
    (answer) => [String(answer.code), answerText(answer, definitions)] as const,
  );
  return {
    description,
    consumes,
    produces,
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    responses: Object.fromEntries(responses),
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { [KINDS]: kindText(kind) }),
  };
}

function parameterText({ name, in: place, type, description }: Parameter): WrittenParameter {
  const required = place === 'path';
  return { uniqueItems: true, type, description, name, in: place, ...(required && { required }) };
}

/** In OpenAPI 2 a body is a parameter. */
function bodyText({ body }: Operation, definitions: Definitions): readonly WrittenParameter[] {
  if (!body) return [];
  const schema = definitions.schemaOf(body.content);
  return [{ name: 'body', in: 'body', ...(body.isRequired && { required: true }), schema }];
}

function answerText(
  { description, content }: OperationAnswer,
  definitions: Definitions,
): JsonObject {
  return content ? { description, schema: definitions.schemaOf(content) } : { description };
}
