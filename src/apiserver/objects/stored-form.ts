/**
 * Converts between stored objects and a kind that is stored as another kind.
 *
 * Most kinds are stored as they are served. But Events, for example, are served by two groups with different
 * field names, and stored once: an Event that is written through one group can be read through the other.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition, WrittenForms } from './kind.ts';
import { withMetadata } from './metadata.ts';

/** The definition in which the objects are stored. */
export function storageVersionOf(definition: KindDefinition): KindDefinition {
  return definition.storedAs?.definition ?? definition;
}

export function fromStored({ storedAs }: KindDefinition, stored: JsonObject): JsonObject {
  return storedAs ? storedAs.fromStored(stored) : stored;
}

export function toStored({ storedAs }: KindDefinition, object: JsonObject): JsonObject {
  return storedAs ? storedAs.toStored(object) : object;
}

/** Both forms of an object, as soon as its version is known. A promise only if a webhook converts it. */
export function writtenForms(
  definition: KindDefinition,
  object: JsonObject,
): FormsAt | Promise<FormsAt> {
  const { webhook } = definition.storedAs ?? {};
  if (webhook) return webhook.write(object);
  // A version that is not stored may have fields that the storage version has not: the client sees that they went.
  const isReadBack =
    !definition.type && storageVersionOf(definition).version !== definition.version;
  return (resourceVersion) => {
    const given = withMetadata(object, { resourceVersion });
    const stored = toStored(definition, given);
    return { stored, served: isReadBack ? fromStored(definition, stored) : given };
  };
}

export type FormsAt = (resourceVersion: string) => WrittenForms;

/** Is the object stored in a version that was the storage version once? An update then writes it again. */
export function isStoredInOldVersion(
  { type, storedAs }: KindDefinition,
  stored: () => JsonObject | undefined,
): boolean {
  if (type || !storedAs?.whenReplaced) return false;
  const { group, version } = storedAs.definition;
  return stored()?.['apiVersion'] !== `${group}/${version}`;
}

/** The kind as which its objects can be read without a webhook. */
export function asStored(definition: KindDefinition): KindDefinition {
  return definition.storedAs?.webhook ? definition.storedAs.definition : definition;
}
