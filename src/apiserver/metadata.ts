/**
 * What the server does to every object's metadata, whatever its kind (uid, times, generation), and
 * what it insists on.
 */
import {
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
  checkDns1123Label,
} from '../api/validation-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { uuidOf } from '../lib/uuid.ts';
import type { IdentityRandom } from '../ports/random.ts';
import type { FieldError } from './field-error.ts';

export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function nameOf(object: JsonObject): string {
  return textOf(metadataOf(object)['name']);
}

/** Undefined takes a field away. An object that says all of it already comes back as it is. */
export function withMetadata(
  object: JsonObject,
  fields: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const before = metadataOf(object);
  const names = Object.keys(fields);
  const isSaid = names.every((name) => fields[name] === before[name]);
  if (isSaid && before === object['metadata']) return object;
  const metadata: Record<string, Json> = { ...before };
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined) metadata[name] = value;
    else if (Object.hasOwn(metadata, name)) delete metadata[name];
  }
  return { ...object, metadata };
}

const NAME_LENGTH_MAX = 63;
const SUFFIX_LENGTH = 5;
const UUID_BYTES = 16;
/** Letters and digits that make no words and cannot be mistaken for each other. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export function generateName(base: string, random: IdentityRandom): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => pickLetter(random)).join('');
  return base.slice(0, NAME_LENGTH_MAX - SUFFIX_LENGTH) + suffix;
}

/** A random UUID (version 4). */
export function makeUid(random: IdentityRandom): string {
  return uuidOf(random.bytes(UUID_BYTES));
}

/** What only the server may say about a new object. */
export function metadataForCreate(
  object: JsonObject,
  now: string,
  random: IdentityRandom,
): JsonObject {
  const { name, generateName: base } = metadataOf(object);
  const needsName = textOf(name) === '' && textOf(base) !== '';
  return withMetadata(object, {
    ...(needsName && { name: generateName(textOf(base), random) }),
    uid: makeUid(random),
    creationTimestamp: now,
    resourceVersion: undefined,
    selfLink: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    generation: undefined,
  });
}

/** What nobody may change by an update comes from the old object; empty counts as "as it was". */
export function metadataForUpdate(object: JsonObject, old: JsonObject): JsonObject {
  const before = metadataOf(old);
  const now = metadataOf(object);
  return withMetadata(object, {
    uid: textOf(now['uid']) === '' ? before['uid'] : now['uid'],
    creationTimestamp: before['creationTimestamp'],
    deletionTimestamp: before['deletionTimestamp'],
    deletionGracePeriodSeconds: before['deletionGracePeriodSeconds'],
    generation: before['generation'],
    selfLink: undefined,
    ...(now['namespace'] === undefined && { namespace: before['namespace'] }),
  });
}

const ANNOTATIONS_BYTES_MAX = 256 * 1024;

export function validateMetadata(
  object: JsonObject,
  namespaced: boolean,
  checkName: (name: string) => readonly string[] = checkDns1123Subdomain,
): readonly FieldError[] {
  const metadata = metadataOf(object);
  const name = textOf(metadata['name']);
  return [
    ...nameErrors(name, checkName),
    ...namespaceErrors(textOf(metadata['namespace']), namespaced),
    ...labelErrors(metadata['labels']),
    ...annotationErrors(metadata['annotations']),
    ...finalizerErrors(metadata['finalizers']),
    ...ownerErrors(metadata['ownerReferences']),
  ];
}

export function validateMetadataUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = metadataOf(old);
  const now = metadataOf(object);
  const immutable = (field: string, value: Json | undefined): FieldError => ({
    type: 'Invalid',
    field: `metadata.${field}`,
    value,
    detail: 'field is immutable',
  });
  const { uid, finalizers } = now;
  const added = listOf(finalizers).filter((one) => !listOf(before['finalizers']).includes(one));
  const errors: readonly FieldError[] = [
    ...(uid === before['uid'] ? [] : [immutable('uid', uid)]),
    ...(before['deletionTimestamp'] !== undefined && added.length > 0
      ? [
          {
            type: 'Forbidden' as const,
            field: 'metadata.finalizers',
            detail:
              'no new finalizers can be added if the object is being deleted, found new finalizers ' +
              `[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`,
          },
        ]
      : []),
  ];
  // Twice, because kube-apiserver checks them in two places and says so twice.
  return [...errors, ...errors];
}

function nameErrors(
  name: string,
  checkName: (name: string) => readonly string[],
): readonly FieldError[] {
  const field = 'metadata.name';
  if (name === '') {
    return [{ type: 'Required', field, detail: 'name or generateName is required' }];
  }
  return checkName(name).map((detail) => ({ type: 'Invalid', field, value: name, detail }));
}

function namespaceErrors(namespace: string, namespaced: boolean): readonly FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) {
    if (namespace === '') return [];
    return [{ type: 'Forbidden', field, detail: 'not allowed on this type' }];
  }
  if (namespace === '') return [{ type: 'Required', field, detail: '' }];
  return checkDns1123Label(namespace).map((detail) => ({
    type: 'Invalid',
    field,
    value: namespace,
    detail,
  }));
}

export function labelErrors(
  labels: Json | undefined,
  field = 'metadata.labels',
): readonly FieldError[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkLabelKey(key).map((detail) => ({
      type: 'Invalid' as const,
      field,
      value: key,
      detail,
    })),
    ...checkLabelValue(textOf(value)).map((detail) => ({
      type: 'Invalid' as const,
      field,
      value,
      detail,
    })),
  ]);
}

function annotationErrors(annotations: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(annotations)) return [];
  const field = 'metadata.annotations';
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(textOf(value)),
    0,
  );
  const detail = `may not be more than ${ANNOTATIONS_BYTES_MAX} bytes`;
  return [
    ...Object.keys(annotations).flatMap((key) =>
      checkLabelKey(key.toLowerCase()).map((complaint) => ({
        type: 'Invalid' as const,
        field,
        value: key,
        detail: complaint,
      })),
    ),
    ...(bytes > ANNOTATIONS_BYTES_MAX ? [{ type: 'TooLong' as const, field, detail }] : []),
  ];
}

function finalizerErrors(finalizers: Json | undefined): readonly FieldError[] {
  return listOf(finalizers).flatMap((finalizer, index) =>
    checkLabelKey(textOf(finalizer)).map((detail) => ({
      type: 'Invalid' as const,
      field: `metadata.finalizers[${index}]`,
      value: finalizer,
      detail,
    })),
  );
}

function ownerErrors(owners: Json | undefined): readonly FieldError[] {
  const field = 'metadata.ownerReferences';
  return listOf(owners).flatMap((owner, index) => {
    if (!isJsonObject(owner)) return [];
    const missing = ['apiVersion', 'kind', 'name', 'uid'].filter(
      (key) => textOf(owner[key]) === '',
    );
    return missing.map((key) => ({
      type: 'Invalid' as const,
      field: `${field}[${index}].${key}`,
      value: '',
      detail: `${key} must not be empty`,
    }));
  });
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Bytes above the last multiple of the letters are drawn again: all letters are equally likely. */
function pickLetter(random: IdentityRandom): string {
  const count = SUFFIX_LETTERS.length;
  for (;;) {
    const [byte = 0] = random.bytes(1);
    if (byte < 256 - (256 % count)) return SUFFIX_LETTERS[byte % count] ?? '';
  }
}
