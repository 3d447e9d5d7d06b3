/**
 * Builds the rules of a custom kind: defaulting, pruning and validation by its schema, its scale subresource
 * and its CEL rules.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { checkLabelKey } from '../../api/validation-names.ts';
import type { FieldError, FieldErrorType } from '../../api/validation/field-error.ts';
import type { KindRules } from '../objects/kind.ts';
import { listOf, metadataOf, nameOf, textOf, withMetadata } from '../objects/metadata.ts';
import { forbidden } from '../objects/status.ts';
import { RuleSet } from '../schema/rules/rule-set.ts';
import type { Crd, CrdVersion } from './crd.ts';
import { correlateField } from '../schema/correlation.ts';
import { readScalePaths, validateScale } from './custom-scaling.ts';
import { fillDefaults } from './defaulting.ts';
import { validateEmbedded } from '../schema/embedded.ts';
import { parseJsonPath } from './json-path.ts';
import { findDuplicates } from '../schema/list-types.ts';
import type { Schema } from '../schema/schema.ts';
import { NOWHERE } from '../schema/value/finding.ts';
import { validateValue } from '../schema/value/validation.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export function customRules(crd: Crd, version: CrdVersion): KindRules {
  const { schema, hasStatus } = version;
  const validate = validatorOf(version);
  const selectable = selectableOf(version.selectableFields);
  return {
    versionRequired: true,
    applyDefaults: (object) => filled(object, schema),
    prepareForCreate: (object) => {
      checkTerminating(crd, object);
      const { status: _, ...rest } = object;
      return withMetadata(hasStatus ? rest : object, { generation: 1 });
    },
    ...(!hasStatus && { prepareForUpdate: (object) => object }),
    prepareForStatusUpdate: withStatusOf,
    isNewGeneration: (object, old) => !jsonEqual(withoutMetadata(object), withoutMetadata(old)),
    validate: (object) => validate(object, undefined),
    validateUpdate: (object, old) => validate(object, old),
    validateStatusUpdate: statusValidatorOf(version),
    warnings: (object) => listOf(metadataOf(object)['finalizers']).flatMap(warnOfFinalizer),
    selectableFields: (object) =>
      Object.fromEntries(selectable.map(({ name, read }) => [name, read(object)])),
  };
}

function filled(object: JsonObject, schema: Schema): JsonObject {
  const value = fillDefaults(object, schema);
  return isJsonObject(value) ? value : object;
}

function checkTerminating({ group, isTerminating, names }: Crd, object: JsonObject): void {
  if (!isTerminating) return;
  const why = 'create not allowed while custom resource definition is terminating';
  throw forbidden({ group, resource: names.plural }, nameOf(object), why);
}

/** An update of the status changes only the status. */
function withStatusOf(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = old;
  // Of metadata only the managers change: they are those of the status, too.
  const { resourceVersion, managedFields } = metadataOf(object);
  const kept = withMetadata(rest, { resourceVersion, managedFields });
  const { status } = object;
  return status === undefined ? kept : { ...kept, status };
}

function withoutMetadata(object: JsonObject): JsonObject {
  const { metadata: _, ...rest } = object;
  return rest;
}

type Validator = (object: JsonObject, old: JsonObject | undefined) => readonly FieldError[];

function validatorOf({ schema, scale }: CrdVersion): Validator {
  const rules = new RuleSet(schema);
  const paths = scale && readScalePaths(scale);
  return (object, old) => {
    const errors = [
      ...validateValue(object, schema, old && { value: object, old, schema }),
      ...(paths ? validateScale(object, paths, false) : []),
      ...validateEmbedded(object, schema),
      ...newDuplicates(object, old, schema),
    ];
    return [...errors, ...checkRules(rules, errors, object, old)];
  };
}

function statusValidatorOf({
  schema,
  scale,
}: CrdVersion): NonNullable<KindRules['validateStatusUpdate']> {
  const rules = new RuleSet(schema);
  const paths = scale && readScalePaths(scale);
  const statusSchema = schema.properties.get('status');
  return (object, old) => {
    const { status } = object;
    const before = correlateField({ value: object, old, schema }, 'status');
    const errors = [
      ...(statusSchema && status !== undefined
        ? validateValue(status, statusSchema, before, 'status')
        : []),
      ...(paths ? validateScale(object, paths, true) : []),
      ...newDuplicates(object, old, schema),
    ];
    return [...errors, ...checkRules(rules, errors, object, old)];
  };
}

/** Duplicates that were there before may stay. */
function newDuplicates(
  object: JsonObject,
  old: JsonObject | undefined,
  schema: Schema,
): readonly FieldError[] {
  if (old && findDuplicates(old, schema).length > 0) return [];
  return findDuplicates(object, schema);
}

/** Errors after which rules would run on an object of the wrong shape. */
const BLOCKING: ReadonlySet<FieldErrorType> = new Set([
  'NotSupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
]);

function checkRules(
  rules: RuleSet,
  errors: readonly FieldError[],
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] {
  if (rules.isEmpty) return [];
  if (!errors.some(({ type }) => BLOCKING.has(type))) return rules.check(object, old);
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing ' +
    'errors to complete validation';
  return [{ type: 'Invalid', field: NOWHERE, value: null, detail }];
}

interface SelectableField {
  readonly name: string;
  readonly read: (object: JsonObject) => string;
}

function selectableOf(paths: readonly string[]): readonly SelectableField[] {
  return paths.flatMap((text) => {
    const path = parseJsonPath(text);
    if (!path) return [];
    const read = (object: JsonObject): string => {
      const [value] = path.find(object);
      return value === undefined || value === null ? '' : printed(value);
    };
    return [{ name: text.replace(/^\./, ''), read }];
  });
}

function printed(value: Json): string {
  return typeof value === 'string' ? value : printExactJson(value);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  'orphan',
  'foregroundDeletion',
  'kubernetes',
]);

function warnOfFinalizer(finalizer: Json): readonly string[] {
  const name = textOf(finalizer);
  const given = `metadata.finalizers: ${JSON.stringify(name)}`;
  const faults = checkLabelKey(name).map((fault) => `${given}: ${fault}`);
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return faults;
  const path = name.includes('.') ? ' including a path (/)' : '';
  return [
    ...faults,
    `${given}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with ` +
      'other finalizer writers',
  ];
}
