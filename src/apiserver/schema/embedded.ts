/**
 * Decodes and validates resources inside resources (x-kubernetes-embedded-resource). They need apiVersion and
 * kind, and their metadata is treated like that of the outer object: unknown fields are dropped.
 */
import { structOf } from '../../api/schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';
import { readTyped, WrongType } from '../decode/typed-object.ts';
import { fieldErrorMessage, type FieldError } from '../../api/validation/field-error.ts';
import { printedForm } from '../objects/printed-form.ts';
import { invalidField, required } from '../../api/validation/field-errors.ts';
import { checkDns1035Label } from '../../api/dns-1035.ts';
import { textOf } from '../objects/metadata.ts';
import { validateMetadata } from '../objects/metadata-rules.ts';
import { entryBelow, fieldBelow } from './field-path.ts';
import { schemaOfField, type Schema } from './schema.ts';
import { changeFields } from './shared-change.ts';

/** Metadata in Go's form. Throws WrongType. */
export function readMetadata(value: Json, fieldPath: string, unknown: string[]): Json {
  if (value === null) return value;
  const type = structOf('meta/v1.ObjectMeta');
  if (!isJsonObject(value)) throw new WrongType(`${fieldPath} must be an object`);
  const { object, unknown: found } = readTyped(value, type);
  unknown.push(...found.map((name) => fieldBelow(fieldPath, name)));
  return printedForm(object, type);
}

/** Decodes the metadata of every embedded resource. Throws WrongType. */
export function readEmbedded(
  value: Json,
  schema: Schema | undefined,
  fieldPath: string,
  unknown: string[],
): Json {
  if (!schema) return value;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return mapShared(items, (item, index) =>
      readEmbedded(item, schema.items, entryBelow(fieldPath, index), unknown),
    );
  }
  if (!isJsonObject(value)) return value;
  return changeFields(value, (name, inner) => {
    const at = fieldBelow(fieldPath, name);
    if (schema.isEmbedded) checkTypeName(name, inner, at);
    if (schema.isEmbedded && name === 'metadata') return readMetadata(inner, at, unknown);
    return readEmbedded(inner, schemaOfField(schema, name), at, unknown);
  });
}

function checkTypeName(name: string, value: Json, fieldPath: string): void {
  if ((name !== 'apiVersion' && name !== 'kind') || typeof value === 'string') return;
  throw new WrongType(
    `${fieldPath}: ${fieldErrorMessage(invalidField(fieldPath, value, 'must be a string'))}`,
  );
}

/** The errors of embedded resources. The outer resource is validated elsewhere. */
export function validateEmbedded(
  value: Json,
  schema: Schema | undefined,
  fieldPath = '',
): readonly FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.flatMap((item, index) =>
      validateEmbedded(item, schema.items, entryBelow(fieldPath, index)),
    );
  }
  if (!isJsonObject(value)) return [];
  return [
    ...(schema.isEmbedded ? validateResource(value, fieldPath) : []),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const isProperty = schema.properties.has(name);
      const at = isProperty ? fieldBelow(fieldPath, name) : entryBelow(fieldPath, name);
      return validateEmbedded(inner, schemaOfField(schema, name), at);
    }),
  ];
}

const API_VERSION = /^[^/]*(?:\/[^/]*)?$/;

function validateResource(resource: JsonObject, fieldPath: string): readonly FieldError[] {
  const { apiVersion, kind } = resource;
  return [
    ...(apiVersion === undefined ? [required(fieldBelow(fieldPath, 'apiVersion'))] : []),
    ...(kind === undefined ? [required(fieldBelow(fieldPath, 'kind'))] : []),
    ...(apiVersion === undefined ? [] : validateApiVersion(apiVersion, fieldPath)),
    ...(kind === undefined ? [] : validateKind(kind, fieldPath)),
    ...validateInnerMetadata(resource, fieldPath),
  ];
}

function validateApiVersion(value: Json, fieldPath: string): readonly FieldError[] {
  const field = fieldBelow(fieldPath, 'apiVersion');
  if (typeof value !== 'string') return [invalidField(field, value, 'must be a string')];
  if (value === '') return [invalidField(field, value, 'must not be empty')];
  if (API_VERSION.test(value)) return [];
  return [invalidField(field, value, `unexpected GroupVersion string: ${value}`)];
}

function validateKind(value: Json, fieldPath: string): readonly FieldError[] {
  const field = fieldBelow(fieldPath, 'kind');
  if (typeof value !== 'string') return [invalidField(field, value, 'must be a string')];
  if (value === '') return [invalidField(field, value, 'must not be empty')];
  const faults = checkDns1035Label(value.toLowerCase());
  if (faults.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  return [invalidField(field, value, detail)];
}

/** Name and namespace are optional. */
function validateInnerMetadata(resource: JsonObject, fieldPath: string): readonly FieldError[] {
  const { metadata } = resource;
  if (!isJsonObject(metadata)) return [];
  const named = textOf(metadata['name']) === '' ? { ...metadata, name: 'name' } : metadata;
  const isNamespaced = textOf(metadata['namespace']) !== '';
  const errors = validateMetadata({ metadata: named }, isNamespaced, checkPathSegment);
  return errors.map((error) => ({ ...error, field: fieldBelow(fieldPath, error.field) }));
}

function checkPathSegment(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].flatMap((sign) => (name.includes(sign) ? [`may not contain '${sign}'`] : []));
}
