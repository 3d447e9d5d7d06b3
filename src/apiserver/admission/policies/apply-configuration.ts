/**
 * Applies the ApplyConfiguration of a mutating admission policy to an object. It merges as server-side apply
 * does, but records no field managers.
 *
 * Atomic lists, maps and structs cannot be set this way: parts that the author did not write would be
 * removed.
 */
import { formOf, typeOfField, type FieldType } from '../../../api/managed-fields/field-type.ts';
import { mergeValues } from '../../../api/managed-fields/merge-values.ts';
import { TypedValueError } from '../../../api/managed-fields/typed-value-error.ts';
import { checkTyped } from '../../../api/managed-fields/validate-value.ts';
import type { MessageValue } from '../../../cel/cel.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { fieldTypeOf } from '../../objects/field-tracking.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { MutationError } from './policy-errors.ts';
import { checkTypeNames, jsonOfMessage } from './result-json.ts';

/** Throws a MutationError. */
export function applyConfiguration(
  object: JsonObject,
  made: MessageValue,
  definition: KindDefinition,
): JsonObject {
  checkTypeNames(made);
  const { apiVersion = null, kind = null } = object;
  const patch = { ...jsonOfMessage(made), apiVersion, kind };
  const type = fieldTypeOf(definition);
  check('failed to convert patch object to typed object', () => checkTyped(patch, type, false));
  const atomics = [...atomicsOf(patch, type, '')];
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${why}`);
  }
  check('failed to convert original object to typed object', () => checkTyped(object, type, true));
  const merged = mergeValues(object, patch, type);
  if (!isJsonObject(merged)) throw new MutationError('error applying patch: it left no object');
  return merged;
}

function check(what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error;
    throw new MutationError(`error applying patch: ${what}: ${error.message}`);
  }
}

function* atomicsOf(value: Json, type: FieldType, path: string): Generator<string> {
  const form = value === null ? null : formOf(type, value);
  if (form === 'map' && type.map && isJsonObject(value)) {
    const { map } = type;
    if (map.isAtomic) yield path;
    for (const [name, inner] of Object.entries(value)) {
      const field = map.isDeduced ? undefined : typeOfField(map, name);
      if (field) yield* atomicsOf(inner, field, `${path}.${name}`);
    }
  } else if (form === 'list' && type.list && Array.isArray(value)) {
    const { list } = type;
    if (list.isAtomic) yield path;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      yield* atomicsOf(item, list.element, `${path}[${index}]`);
    }
  }
}
