/**
 * Decodes a custom object: drops and reports unknown fields, drops nulls that are not allowed, and decodes
 * its metadata like that of any object.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { isValueTooDeep } from '../decode/nesting.ts';
import { UNKNOWN_MAX, WrongType, type TypedObject } from '../decode/typed-object.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { readEmbedded, readMetadata } from './embedded.ts';
import { dropNulls, pruneResource } from './pruning.ts';
import type { Schema } from './schema.ts';
import { changeFields } from './shared-change.ts';

/** A kind of a CustomResourceDefinition, in one of its versions. */
export interface CustomKind extends KindDefinition {
  readonly schema: Schema;
  /** The kind of a list. */
  readonly listKind: string;
}

export function isCustomKind(definition: KindDefinition): definition is CustomKind {
  return 'schema' in definition;
}

/** Throws WrongType. */
export function readCustomObject(value: JsonObject, { schema }: CustomKind): TypedObject {
  if (isValueTooDeep(value)) throw new WrongType('the object is nested too deeply');
  const unknown: string[] = [];
  const withMetadata = changeFields(value, (name, inner) => {
    if (name !== 'metadata') return inner;
    return inner === null ? undefined : readMetadata(inner, name, unknown);
  });
  const pruned = pruneResource(withMetadata, schema);
  for (const path of pruned.unknown.slice(0, UNKNOWN_MAX)) unknown.push(path);
  const dropped = dropNulls(pruned.object, schema);
  const object = readEmbedded(dropped, { ...schema, isEmbedded: false }, '', unknown);
  return { object: isJsonObject(object) ? object : {}, unknown };
}
