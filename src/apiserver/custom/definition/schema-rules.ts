/**
 * Validates a schema node by node: refuses parts of OpenAPI that Kubernetes does not support, and checks the
 * x-kubernetes extensions. It compiles the CEL rules of a node if there is no error at or below it.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import {
  forbiddenField,
  invalidField,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readObjects, readText } from '../../../api/validation/json-reading.ts';
import { readSchema } from '../../schema/schema.ts';
import { validateExpressions } from './expression-rules.ts';
import { validateListAndMapTypes } from './list-type-rules.ts';
import { validateRuleTexts } from './rule-text-rules.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Context {
  /** Why defaults are not allowed; empty: they are. */
  readonly noDefaults: string;
  readonly isInsideMeta: boolean;
  /** The path below which old items cannot be matched; empty: they can. */
  readonly uncorrelated: string;
  /** Is this the root of a resource? */
  readonly isRoot: boolean;
  /** May the rules be compiled? */
  readonly compiles: boolean;
}

interface SchemaErrors {
  readonly schema: readonly FieldError[];
  readonly expressions: readonly FieldError[];
}

/** `isSound`: it is structural and its defaults are valid, so its rules can be compiled. */
export function validateSchema(
  source: JsonObject,
  fieldPath: string,
  isSound: boolean,
): readonly FieldError[] {
  const { schema, expressions } = validateNode(source, fieldPath, {
    noDefaults: '',
    isInsideMeta: false,
    uncorrelated: '',
    isRoot: true,
    compiles: isSound,
  });
  return [...schema, ...expressions];
}

function validateNode(source: JsonObject, fieldPath: string, context: Context): SchemaErrors {
  const inner = innerNodes(source, fieldPath, context).map(([node, at, below]) =>
    validateNode(node, at, below),
  );
  const schema = [
    ...validateOwn(source, fieldPath, context),
    ...inner.flatMap((one) => one.schema),
    ...validateListAndMapTypes(source, fieldPath),
    ...validateRuleTexts(source, fieldPath),
  ];
  const own =
    schema.length === 0 && context.compiles
      ? validateExpressions(readSchema(source), fieldPath, context.isRoot, context.uncorrelated)
      : [];
  return { schema, expressions: [...inner.flatMap((one) => one.expressions), ...own] };
}

type InnerNode = readonly [node: JsonObject, fieldPath: string, context: Context];

function innerNodes(source: JsonObject, fieldPath: string, context: Context): readonly InnerNode[] {
  const { additionalProperties, items, not } = source;
  const plain: Context = { ...context, isRoot: false };
  const judging: Context = { ...plain, compiles: false };
  const inItems: Context = {
    ...plain,
    uncorrelated:
      context.uncorrelated !== '' || source['x-kubernetes-list-type'] === 'map'
        ? context.uncorrelated
        : fieldPath,
  };
  return [
    ...(isJsonObject(additionalProperties)
      ? [[additionalProperties, `${fieldPath}.additionalProperties`, inAdditional(plain)] as const]
      : []),
    ...propertiesIn(source, fieldPath, context),
    ...(isJsonObject(not) ? [[not, `${fieldPath}.not`, judging] as const] : []),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((name) =>
      readObjects(source[name]).map(
        (one, index) => [one, `${fieldPath}.${name}[${index}]`, judging] as const,
      ),
    ),
    ...(isJsonObject(items) ? [[items, `${fieldPath}.items`, inItems] as const] : []),
  ];
}

function inAdditional(context: Context): Context {
  if (!context.isInsideMeta) return context;
  return { ...context, noDefaults: 'inside additionalProperties applying to object metadata' };
}

function propertiesIn(
  source: JsonObject,
  fieldPath: string,
  context: Context,
): readonly InnerNode[] {
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
    return [isJsonObject(node) ? node : {}, `${fieldPath}.properties[${name}]`, below];
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

function* validateOwn(source: JsonObject, fieldPath: string, context: Context): FieldErrors {
  const type = readText(source['type']);
  if (type !== '' && !TYPES.includes(type)) yield unsupported(`${fieldPath}.type`, type, TYPES);
  if (isGiven(source['default']) && context.noDefaults !== '') {
    yield forbiddenField(`${fieldPath}.default`, `must not be set ${context.noDefaults}`);
  }
  for (const name of NOT_SUPPORTED) {
    if (isGiven(source[name]))
      yield forbiddenField(`${fieldPath}.${name}`, `${name} is not supported`);
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    yield forbiddenField(`${fieldPath}.type`, detail);
  }
  if (Array.isArray(source['items']) && source['items'].length > 0) {
    yield forbiddenField(`${fieldPath}.items`, 'items must be a schema object and not an array');
  }
  if (context.isInsideMeta && source['x-kubernetes-embedded-resource'] === true) {
    const detail = 'must not be used inside of resource meta';
    yield forbiddenField(`${fieldPath}.x-kubernetes-embedded-resource`, detail);
  }
  yield* validateCombined(source, fieldPath);
}

function* validateCombined(source: JsonObject, fieldPath: string): FieldErrors {
  if (source['uniqueItems'] === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    yield forbiddenField(`${fieldPath}.uniqueItems`, detail);
  }
  const { additionalProperties, properties } = source;
  const hasProperties = isJsonObject(properties) && Object.keys(properties).length > 0;
  if (hasProperties && isGiven(additionalProperties) && additionalProperties !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    yield forbiddenField(`${fieldPath}.additionalProperties`, detail);
  }
  if (source['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${fieldPath}.x-kubernetes-preserve-unknown-fields`;
    yield invalidField(field, false, 'must be true or undefined');
  }
}
