/**
 * One node of a schema after the other: what OpenAPI has and Kubernetes does not, and what the
 * x-kubernetes extensions insist on. Rules in CEL are compiled here, if nothing at or below their
 * node is wrong.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import {
  forbidden,
  invalid,
  unsupported,
  type Complaints,
} from '../../kinds/validation/complaint.ts';
import { isGiven, readObjects, readText } from '../../kinds/validation/json-reading.ts';
import { readSchema } from '../schema.ts';
import { validateExpressions } from './expression-rules.ts';
import { validateListAndMapTypes } from './list-type-rules.ts';
import { validateRuleTexts } from './rule-text-rules.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Context {
  /** Why there may be no defaults; empty: there may. */
  readonly noDefaults: string;
  readonly isInsideMeta: boolean;
  /** Below this, nobody can tell what an item was before; empty: one can. */
  readonly uncorrelated: string;
  /** Is the root of a resource here? */
  readonly isRoot: boolean;
  /** May the rules be compiled? */
  readonly compiles: boolean;
}

interface SchemaErrors {
  readonly schema: readonly FieldError[];
  readonly expressions: readonly FieldError[];
}

/** `isSound`: it is structural and its defaults are right, so its rules can be compiled. */
export function validateSchema(
  source: JsonObject,
  place: string,
  isSound: boolean,
): readonly FieldError[] {
  const { schema, expressions } = validateNode(source, place, {
    noDefaults: '',
    isInsideMeta: false,
    uncorrelated: '',
    isRoot: true,
    compiles: isSound,
  });
  return [...schema, ...expressions];
}

function validateNode(source: JsonObject, place: string, context: Context): SchemaErrors {
  const inner = innerNodes(source, place, context).map(([node, at, below]) =>
    validateNode(node, at, below),
  );
  const schema = [
    ...validateOwn(source, place, context),
    ...inner.flatMap((one) => one.schema),
    ...validateListAndMapTypes(source, place),
    ...validateRuleTexts(source, place),
  ];
  const own =
    schema.length === 0 && context.compiles
      ? validateExpressions(readSchema(source), place, context.isRoot, context.uncorrelated)
      : [];
  return { schema, expressions: [...inner.flatMap((one) => one.expressions), ...own] };
}

type InnerNode = readonly [node: JsonObject, place: string, context: Context];

function innerNodes(source: JsonObject, place: string, context: Context): readonly InnerNode[] {
  const { additionalProperties, items, not } = source;
  const plain: Context = { ...context, isRoot: false };
  const judging: Context = { ...plain, compiles: false };
  const inItems: Context = {
    ...plain,
    uncorrelated:
      context.uncorrelated !== '' || source['x-kubernetes-list-type'] === 'map'
        ? context.uncorrelated
        : place,
  };
  return [
    ...(isJsonObject(additionalProperties)
      ? [[additionalProperties, `${place}.additionalProperties`, inAdditional(plain)] as const]
      : []),
    ...propertiesIn(source, place, context),
    ...(isJsonObject(not) ? [[not, `${place}.not`, judging] as const] : []),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((name) =>
      readObjects(source[name]).map(
        (one, index) => [one, `${place}.${name}[${index}]`, judging] as const,
      ),
    ),
    ...(isJsonObject(items) ? [[items, `${place}.items`, inItems] as const] : []),
  ];
}

function inAdditional(context: Context): Context {
  if (!context.isInsideMeta) return context;
  return { ...context, noDefaults: 'inside additionalProperties applying to object metadata' };
}

function propertiesIn(source: JsonObject, place: string, context: Context): readonly InnerNode[] {
  const { properties } = source;
  if (!isJsonObject(properties)) return [];
  const isResource = context.isRoot || source['x-kubernetes-embedded-resource'] === true;
  return Object.entries(properties).map(([name, node]) => {
    const isMeta = isResource && ['metadata', 'kind', 'apiVersion'].includes(name);
    const below: Context = {
      ...context,
      isRoot: false,
      ...(isMeta && { isInsideMeta: true }),
      ...(isMeta && context.isRoot && { noDefaults: `in top-level ${name}` }),
    };
    return [isJsonObject(node) ? node : {}, `${place}.properties[${name}]`, below];
  });
}

/** What OpenAPI allows and Kubernetes does not. */
const NOT_SUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

function* validateOwn(source: JsonObject, place: string, context: Context): Complaints {
  const type = readText(source['type']);
  if (type !== '' && !TYPES.includes(type)) yield unsupported(`${place}.type`, type, TYPES);
  if (isGiven(source['default']) && context.noDefaults !== '') {
    yield forbidden(`${place}.default`, `must not be set ${context.noDefaults}`);
  }
  for (const name of NOT_SUPPORTED) {
    if (isGiven(source[name])) yield forbidden(`${place}.${name}`, `${name} is not supported`);
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    yield forbidden(`${place}.type`, detail);
  }
  if (Array.isArray(source['items']) && source['items'].length > 0) {
    yield forbidden(`${place}.items`, 'items must be a schema object and not an array');
  }
  if (context.isInsideMeta && source['x-kubernetes-embedded-resource'] === true) {
    const detail = 'must not be used inside of resource meta';
    yield forbidden(`${place}.x-kubernetes-embedded-resource`, detail);
  }
  yield* validateCombined(source, place);
}

function* validateCombined(source: JsonObject, place: string): Complaints {
  if (source['uniqueItems'] === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    yield forbidden(`${place}.uniqueItems`, detail);
  }
  const { additionalProperties, properties } = source;
  const hasProperties = isJsonObject(properties) && Object.keys(properties).length > 0;
  if (hasProperties && isGiven(additionalProperties) && additionalProperties !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    yield forbidden(`${place}.additionalProperties`, detail);
  }
  if (source['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${place}.x-kubernetes-preserve-unknown-fields`;
    yield invalid(field, false, 'must be true or undefined');
  }
}
