/**
 * Validates the schema of a version as a whole. Its CEL rules are compiled only if it is structural and its
 * defaults are valid, because errors of rules in an invalid schema would not help.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import {
  forbiddenField,
  invalidField,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { readSchema } from '../../schema/schema.ts';
import { validateDefaults } from './default-rules.ts';
import { validateSchema } from './schema-rules.ts';
import { findUnsupported, validateStructure } from './structural-rules.ts';

/** What the root may have beside a status subresource, by Go's names. */
const ALLOWED_AT_ROOT: ReadonlyMap<string, string> = new Map([
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
]);

export function* validateRootSchema(
  source: JsonObject,
  fieldPath: string,
  hasStatus: boolean,
): FieldErrors {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...validateBesideStatus(source, fieldPath));
  if (source['nullable'] === true) {
    errors.push(forbiddenField(`${fieldPath}.nullable`, 'nullable cannot be true at the root'));
  }
  const unsupported = findUnsupported(source);
  const schema = readSchema(source);
  const structural = unsupported === undefined ? validateStructure(schema, fieldPath) : [];
  const defaults =
    unsupported === undefined && structural.length === 0 ? validateDefaults(schema, fieldPath) : [];
  const isSound = unsupported === undefined && structural.length + defaults.length === 0;
  errors.push(...structural, ...defaults, ...validateSchema(source, fieldPath, isSound));
  yield* errors;
  if (errors.length === 0 && unsupported !== undefined)
    yield invalidField(fieldPath, '', unsupported);
}

function* validateBesideStatus(source: JsonObject, fieldPath: string): FieldErrors {
  const type = readText(source['type']);
  if (type !== '' && type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource ' +
      'is enabled';
    yield invalidField(`${fieldPath}.type`, type, detail);
    return;
  }
  if (Object.keys(source).every((name) => ALLOWED_AT_ROOT.has(name))) return;
  const names = [...ALLOWED_AT_ROOT.values()].join(' ');
  const detail =
    `only [${names}] fields are allowed at the root of the schema if the status subresource is ` +
    'enabled';
  yield invalidField(fieldPath, source, detail);
}
