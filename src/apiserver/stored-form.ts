/**
 * Objects on their way between the store and a kind that is kept under another one.
 *
 * Most kinds are kept as they are served. Events are served by two groups, with the same fields under
 * two sets of names, and kept once: whoever writes through one group is read through the other.
 */
import type { JsonObject } from '../lib/json.ts';
import type { KindDefinition } from './kind.ts';

/** The definition whose place in the store the objects have. */
export function keeperOf(definition: KindDefinition): KindDefinition {
  return definition.storedAs?.definition ?? definition;
}

export function fromStored({ storedAs }: KindDefinition, stored: JsonObject): JsonObject {
  return storedAs ? storedAs.fromStored(stored) : stored;
}

export function toStored({ storedAs }: KindDefinition, object: JsonObject): JsonObject {
  return storedAs ? storedAs.toStored(object) : object;
}
