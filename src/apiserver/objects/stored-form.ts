/**
 * Converts objects between the store and a kind that is stored under another one.
 *
 * Most kinds are stored as they are served. Events are served by two groups, with the same fields under two
 * sets of names, and stored once: an event written through one group can be read through the other.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from './kind.ts';

/** The definition under which the objects are stored. */
export function storageVersionOf(definition: KindDefinition): KindDefinition {
  return definition.storedAs?.definition ?? definition;
}

export function fromStored({ storedAs }: KindDefinition, stored: JsonObject): JsonObject {
  return storedAs ? storedAs.fromStored(stored) : stored;
}

export function toStored({ storedAs }: KindDefinition, object: JsonObject): JsonObject {
  return storedAs ? storedAs.toStored(object) : object;
}
