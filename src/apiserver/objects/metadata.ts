/**
 * Reads metadata, and sets the metadata that the server determines for every kind: uid, times, generation.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { uuidOf } from '../../lib/uuid.ts';
import type { IdentityRandom } from '../../ports/random.ts';

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

/** Undefined removes a field. Returns the very same object if nothing changes. */
export function withMetadata(
  object: JsonObject,
  fields: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const before = metadataOf(object);
  const names = Object.keys(fields);
  const isUnchanged = names.every((name) => fields[name] === before[name]);
  if (isUnchanged && before === object['metadata']) return object;
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
/** Letters and digits that form no words and are not easily confused. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export function generateName(base: string, random: IdentityRandom): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => pickLetter(random)).join('');
  return base.slice(0, NAME_LENGTH_MAX - SUFFIX_LENGTH) + suffix;
}

/** A random UUID (version 4). */
export function makeUid(random: IdentityRandom): string {
  return uuidOf(random.bytes(UUID_BYTES));
}

/** Metadata that only the server may set on a new object. */
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
  });
}

/** Takes immutable metadata from the old object if the new value is empty. */
export function metadataForUpdate(object: JsonObject, old: JsonObject): JsonObject {
  const before = metadataOf(old);
  const now = metadataOf(object);
  return withMetadata(object, {
    uid: textOf(now['uid']) === '' ? before['uid'] : now['uid'],
    creationTimestamp: before['creationTimestamp'],
    deletionTimestamp: before['deletionTimestamp'] ?? now['deletionTimestamp'],
    deletionGracePeriodSeconds:
      now['deletionGracePeriodSeconds'] ?? before['deletionGracePeriodSeconds'],
    generation: before['generation'],
    selfLink: undefined,
    ...(now['namespace'] === undefined && { namespace: before['namespace'] }),
  });
}

const SERVER_FIELDS = [
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
  'selfLink',
] as const;

/** The changed object with the kind and the server-set metadata of the first one. */
export function withServerFields(changed: JsonObject, first: JsonObject): JsonObject {
  const { kind, apiVersion } = first;
  const before = metadataOf(first);
  const kept = Object.fromEntries(SERVER_FIELDS.map((name) => [name, before[name]]));
  return withMetadata(
    {
      ...changed,
      ...(kind !== undefined && { kind }),
      ...(apiVersion !== undefined && { apiVersion }),
    },
    kept,
  );
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Bytes above the last multiple of the number of letters are drawn again, so that all letters are equally
 * likely.
 */
function pickLetter(random: IdentityRandom): string {
  const count = SUFFIX_LETTERS.length;
  for (;;) {
    const [byte = 0] = random.bytes(1);
    if (byte < 256 - (256 % count)) return SUFFIX_LETTERS[byte % count] ?? '';
  }
}
