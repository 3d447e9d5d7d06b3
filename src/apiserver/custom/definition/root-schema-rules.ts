/**
 * The schema of a version as a whole. It must be structural, its defaults must fit it, and only then
 * are the rules in it compiled: what they would say of a broken schema would help nobody.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { forbidden, invalid, type Complaints } from '../../kinds/validation/complaint.ts';
import { readText } from '../../kinds/validation/json-reading.ts';
import { readSchema } from '../schema.ts';
import { validateDefaults } from './default-rules.ts';
import { validateSchema } from './schema-rules.ts';
import { findUnsupported, validateStructure } from './structural-rules.ts';

/** What the root may have beside a status that is written on its own, by Go's names. */
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
  place: string,
  hasStatus: boolean,
): Complaints {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...validateBesideStatus(source, place));
  if (source['nullable'] === true) {
    errors.push(forbidden(`${place}.nullable`, 'nullable cannot be true at the root'));
  }
  const unsupported = findUnsupported(source);
  const schema = readSchema(source);
  const structural = unsupported === undefined ? validateStructure(schema, place) : [];
  const defaults =
    unsupported === undefined && structural.length === 0 ? validateDefaults(schema, place) : [];
  const isSound = unsupported === undefined && structural.length + defaults.length === 0;
  errors.push(...structural, ...defaults, ...validateSchema(source, place, isSound));
  yield* errors;
  if (errors.length === 0 && unsupported !== undefined) yield invalid(place, '', unsupported);
}

function* validateBesideStatus(source: JsonObject, place: string): Complaints {
  const type = readText(source['type']);
  if (type !== '' && type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource ' +
      'is enabled';
    yield invalid(`${place}.type`, type, detail);
    return;
  }
  if (Object.keys(source).every((name) => ALLOWED_AT_ROOT.has(name))) return;
  const names = [...ALLOWED_AT_ROOT.values()].join(' ');
  const detail =
    `only [${names}] fields are allowed at the root of the schema if the status subresource is ` +
    'enabled';
  yield invalid(place, source, detail);
}
