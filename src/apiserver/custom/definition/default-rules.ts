/** Validates the defaults in a schema: each must be valid for its own schema, and have no unknown fields. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { WrongType } from '../../decode/typed-object.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { invalidField } from '../../../api/validation/field-errors.ts';
import { RuleSet } from '../../schema/rules/rule-set.ts';
import { readEmbedded, readMetadata, validateEmbedded } from '../../schema/embedded.ts';
import { pruneValue } from '../../schema/pruning.ts';
import { isMetaField, type Schema } from '../../schema/schema.ts';
import { validateValue } from '../../schema/value/validation.ts';

export function validateDefaults(schema: Schema, fieldPath: string): readonly FieldError[] {
  return validateNode({ ...schema, isEmbedded: true }, fieldPath, false);
}

function validateNode(
  schema: Schema,
  fieldPath: string,
  wasInsideMeta: boolean,
): readonly FieldError[] {
  const isInsideMeta = wasInsideMeta && !schema.isEmbedded;
  const { default: value, items } = schema;
  return [
    ...(value === undefined ? [] : validateDefault(value, schema, fieldPath, isInsideMeta)),
    ...(items ? validateNode(items, `${fieldPath}.items`, isInsideMeta) : []),
    ...[...schema.properties].flatMap(([name, property]) => {
      const isMeta = schema.isEmbedded && isMetaField(name);
      return validateNode(property, `${fieldPath}.properties[${name}]`, isInsideMeta || isMeta);
    }),
  ];
}

function validateDefault(
  value: Json,
  schema: Schema,
  fieldPath: string,
  isInsideMeta: boolean,
): readonly FieldError[] {
  const field = `${fieldPath}.default`;
  const isPruned = isInsideMeta || jsonEqual(pruneValue(value, schema), value);
  const strangers = isPruned ? [] : [invalidField(field, value, 'must not have unknown fields')];
  const faults = firstOf([
    () => (isInsideMeta ? [] : validateResources(value, schema, field)),
    () => validateValue(value, schema, undefined, field),
    () => new RuleSet(schema).check(value, value, field),
    () => new RuleSet(schema).check(value, undefined, field),
  ]);
  return [...strangers, ...faults];
}

function firstOf(checks: readonly (() => readonly FieldError[])[]): readonly FieldError[] {
  for (const check of checks) {
    const errors = check();
    if (errors.length > 0) return errors;
  }
  return [];
}

/** Resources inside the default need readable metadata, apiVersion and kind. */
function validateResources(value: Json, schema: Schema, field: string): readonly FieldError[] {
  try {
    readEmbedded(value, schema, field, []);
    if (schema.isEmbedded && isJsonObject(value) && value['metadata'] !== undefined) {
      readMetadata(value['metadata'], `${field}.metadata`, []);
    }
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    return [invalidField(field, value, `must result in valid metadata: ${error.message}`)];
  }
  return validateEmbedded(value, schema, field);
}
