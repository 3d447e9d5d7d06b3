/**
 * Builds the OpenAPI definitions of a custom kind and its list from its structural schema.
 *
 * It adds the fields that every object has (apiVersion, kind and metadata), at the root and in embedded
 * objects. OpenAPI 2 can express less than a structural schema, and kubectl refuses what it cannot read; so
 * parts that OpenAPI 2 cannot express are replaced by schemas that allow anything.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { KINDS, kindText, type Definitions } from './definitions.ts';
import { describeListField, describeObjectField } from './descriptions/descriptions.ts';
import { V2 } from './dialect.ts';
import { forVersion2, isTrue, PRESERVES_UNKNOWN, withAlternatives } from './structural-schema.ts';
import { mapSchema } from './schema-walk.ts';
import { customName, listKindOf } from './subject.ts';

const EMBEDDED = 'x-kubernetes-embedded-resource';

export function addCustomKind(definition: KindDefinition, definitions: Definitions): void {
  const { group, version, kind } = definition;
  const list = { group, version, kind: listKindOf(definition) };
  definitions.add(customName(definition), {
    ...objectSchema(definition.openApiSchema, definitions),
    [KINDS]: [kindText({ group, version, kind })],
  });
  definitions.add(customName(list), {
    ...listSchema(definition, definitions),
    [KINDS]: [kindText(list)],
  });
}

function objectSchema(schema: JsonObject | undefined, definitions: Definitions): JsonObject {
  const isOld = definitions.dialect === V2;
  // In OpenAPI 2, kubectl reads a schema with one property as one that forbids all others.
  if (!schema || (isOld && isTrue(schema, PRESERVES_UNKNOWN))) return { type: 'object' };
  const described = isOld ? forVersion2(schema) : withAlternatives(schema);
  const embedding = mapSchema(described, (one) =>
    isTrue(one, EMBEDDED) && !(isOld && isTrue(one, PRESERVES_UNKNOWN))
      ? withObjectFields(one, definitions)
      : one,
  );
  return withProperties(embedding, objectFields(definitions));
}

function listSchema(definition: KindDefinition, definitions: Definitions): JsonObject {
  const { kind } = definition;
  const items = {
    description: describeListField('items'),
    type: 'array',
    items: definitions.referTo(customName(definition)),
  };
  const description = describeListField('metadata');
  const metadata = definitions.refer('meta/v1.ListMeta', { description });
  return {
    description: `A list of objects of the kind ${kind}.`,
    type: 'object',
    required: ['items'],
    properties: { ...typeFields(), items, metadata },
  };
}

/** An embedded object must have apiVersion and kind. */
function withObjectFields(schema: JsonObject, definitions: Definitions): JsonObject {
  const { required } = schema;
  const asked: readonly Json[] = Array.isArray(required) ? (required as readonly Json[]) : [];
  const missing = ['kind', 'apiVersion'].filter((name) => !asked.includes(name));
  const complete = withProperties(schema, objectFields(definitions));
  return missing.length === 0 ? complete : { ...complete, required: [...asked, ...missing] };
}

function objectFields(definitions: Definitions): JsonObject {
  const description = describeObjectField('metadata');
  return { ...typeFields(), metadata: definitions.refer('meta/v1.ObjectMeta', { description }) };
}

function typeFields(): JsonObject {
  return {
    apiVersion: { description: describeObjectField('apiVersion'), type: 'string' },
    kind: { description: describeObjectField('kind'), type: 'string' },
  };
}

function withProperties(schema: JsonObject, added: JsonObject): JsonObject {
  const { properties } = schema;
  return { ...schema, properties: { ...(isJsonObject(properties) && properties), ...added } };
}
