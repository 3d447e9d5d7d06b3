/**
 * Resources inside resources (x-kubernetes-embedded-resource): they say what they are, and their
 * metadata is that of any object. What metadata does not have is taken away, as it is from the
 * metadata of the object around them.
 */
import { structOf } from '../../api/schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapShared } from '../../lib/share.ts';
import { readTyped, WrongType } from '../decode/typed-object.ts';
import { messageOf, type FieldError } from '../field-error.ts';
import { printedForm } from '../kinds/printed-form.ts';
import { invalid, required } from '../kinds/validation/complaint.ts';
import { checkDns1035Label } from './definition/dns-1035.ts';
import { textOf, validateMetadata } from '../metadata.ts';
import { entryBelow, fieldBelow } from './place.ts';
import { schemaOfField, type Schema } from './schema.ts';
import { changeFields } from './shared-change.ts';

/** Metadata as Go would hold it; throws WrongType. */
export function readMetadata(value: Json, place: string, unknown: string[]): Json {
  if (value === null) return value;
  const type = structOf('meta/v1.ObjectMeta');
  if (!isJsonObject(value)) throw new WrongType(`${place} must be an object`);
  const { object, unknown: found } = readTyped(value, type);
  unknown.push(...found.map((name) => fieldBelow(place, name)));
  return printedForm(object, type);
}

/** Reads the metadata of every resource inside; throws WrongType. */
export function readEmbedded(
  value: Json,
  schema: Schema | undefined,
  place: string,
  unknown: string[],
): Json {
  if (!schema) return value;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return mapShared(items, (item, index) =>
      readEmbedded(item, schema.items, entryBelow(place, index), unknown),
    );
  }
  if (!isJsonObject(value)) return value;
  return changeFields(value, (name, inner) => {
    const at = fieldBelow(place, name);
    if (schema.isEmbedded) checkTypeName(name, inner, at);
    if (schema.isEmbedded && name === 'metadata') return readMetadata(inner, at, unknown);
    return readEmbedded(inner, schemaOfField(schema, name), at, unknown);
  });
}

function checkTypeName(name: string, value: Json, place: string): void {
  if ((name !== 'apiVersion' && name !== 'kind') || typeof value === 'string') return;
  throw new WrongType(`${place}: ${messageOf(invalid(place, value, 'must be a string'))}`);
}

/** What is wrong with the resources inside. The one around them is judged elsewhere. */
export function validateEmbedded(
  value: Json,
  schema: Schema | undefined,
  place = '',
): readonly FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.flatMap((item, index) =>
      validateEmbedded(item, schema.items, entryBelow(place, index)),
    );
  }
  if (!isJsonObject(value)) return [];
  return [
    ...(schema.isEmbedded ? validateResource(value, place) : []),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const isProperty = schema.properties.has(name);
      const at = isProperty ? fieldBelow(place, name) : entryBelow(place, name);
      return validateEmbedded(inner, schemaOfField(schema, name), at);
    }),
  ];
}

const API_VERSION = /^[^/]*(?:\/[^/]*)?$/;

function validateResource(resource: JsonObject, place: string): readonly FieldError[] {
  const { apiVersion, kind } = resource;
  return [
    ...(apiVersion === undefined ? [required(fieldBelow(place, 'apiVersion'))] : []),
    ...(kind === undefined ? [required(fieldBelow(place, 'kind'))] : []),
    ...(apiVersion === undefined ? [] : validateApiVersion(apiVersion, place)),
    ...(kind === undefined ? [] : validateKind(kind, place)),
    ...validateInnerMetadata(resource, place),
  ];
}

function validateApiVersion(value: Json, place: string): readonly FieldError[] {
  const field = fieldBelow(place, 'apiVersion');
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  if (value === '') return [invalid(field, value, 'must not be empty')];
  if (API_VERSION.test(value)) return [];
  return [invalid(field, value, `unexpected GroupVersion string: ${value}`)];
}

function validateKind(value: Json, place: string): readonly FieldError[] {
  const field = fieldBelow(place, 'kind');
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  if (value === '') return [invalid(field, value, 'must not be empty')];
  const faults = checkDns1035Label(value.toLowerCase());
  if (faults.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  return [invalid(field, value, detail)];
}

/** It need not have a name, and may be in a namespace or not. */
function validateInnerMetadata(resource: JsonObject, place: string): readonly FieldError[] {
  const { metadata } = resource;
  if (!isJsonObject(metadata)) return [];
  const named = textOf(metadata['name']) === '' ? { ...metadata, name: 'name' } : metadata;
  const isNamespaced = textOf(metadata['namespace']) !== '';
  const errors = validateMetadata({ metadata: named }, isNamespaced, checkPathSegment);
  return errors.map((error) => ({ ...error, field: fieldBelow(place, error.field) }));
}

function checkPathSegment(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].flatMap((sign) => (name.includes(sign) ? [`may not contain '${sign}'`] : []));
}
