/** Defaults must be what they stand for: values that their own schema takes, and nothing beside. */
import { jsonEqual } from '../../../api/json-equal.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import { WrongType } from '../../decode/typed-object.ts';
import type { FieldError } from '../../field-error.ts';
import { invalid } from '../../kinds/validation/complaint.ts';
import { RuleSet } from '../cel/rule-set.ts';
import { readEmbedded, readMetadata, validateEmbedded } from '../embedded.ts';
import { pruneValue } from '../pruning.ts';
import { isMetaField, type Schema } from '../schema.ts';
import { validateValue } from '../value/validation.ts';

export function validateDefaults(schema: Schema, place: string): readonly FieldError[] {
  return validateNode({ ...schema, isEmbedded: true }, place, false);
}

function validateNode(
  schema: Schema,
  place: string,
  wasInsideMeta: boolean,
): readonly FieldError[] {
  const isInsideMeta = wasInsideMeta && !schema.isEmbedded;
  const { default: value, items } = schema;
  return [
    ...(value === undefined ? [] : validateDefault(value, schema, place, isInsideMeta)),
    ...(items ? validateNode(items, `${place}.items`, isInsideMeta) : []),
    ...[...schema.properties].flatMap(([name, property]) => {
      const isMeta = schema.isEmbedded && isMetaField(name);
      return validateNode(property, `${place}.properties[${name}]`, isInsideMeta || isMeta);
    }),
  ];
}

function validateDefault(
  value: Json,
  schema: Schema,
  place: string,
  isInsideMeta: boolean,
): readonly FieldError[] {
  const field = `${place}.default`;
  const isPruned = isInsideMeta || jsonEqual(pruneValue(value, schema), value);
  const strangers = isPruned ? [] : [invalid(field, value, 'must not have unknown fields')];
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

/** Resources inside the default have metadata that can be read, and say what they are. */
function validateResources(value: Json, schema: Schema, field: string): readonly FieldError[] {
  try {
    readEmbedded(value, schema, field, []);
    if (schema.isEmbedded && isJsonObject(value) && value['metadata'] !== undefined) {
      readMetadata(value['metadata'], `${field}.metadata`, []);
    }
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    return [invalid(field, value, `must result in valid metadata: ${error.message}`)];
  }
  return validateEmbedded(value, schema, field);
}
