/**
 * Converts between stored objects and a kind that is stored as another kind.
 *
 * Most kinds are stored as they are served. But Events, for example, are served by two groups with different
 * field names, and stored once: an Event that is written through one group can be read through the other.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from './kind.ts';

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
