/**
 * Finds the part of the old object that corresponds to a part of the new one.
 *
 *     map: by key     list of type map: by the key fields of its items     other lists: unknown
 *
 * It is needed for ratcheting: a schema may have become stricter since an object was written, so errors of
 * unchanged parts are ignored, and a client can still change the rest.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import { schemaOfField, type Schema } from './schema.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export interface Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly schema: Schema;
}

export function isUnchanged(correlation: Correlation | undefined): boolean {
  return correlation !== undefined && jsonEqual(correlation.value, correlation.old);
}

export function correlateField(
  correlation: Correlation | undefined,
  name: string,
): Correlation | undefined {
  if (!correlation) return undefined;
  const { value, old } = correlation;
  const schema = schemaOfField(correlation.schema, name);
  if (!schema || !isJsonObject(value) || !isJsonObject(old)) return undefined;
  const [now, before] = [fieldOf(value, name), fieldOf(old, name)];
  if (now === undefined || before === undefined) return undefined;
  return { value: now, old: before, schema };
}

export function correlateItem(
  correlation: Correlation | undefined,
  index: number,
): Correlation | undefined {
  if (!correlation?.schema.items) return undefined;
  const { value, old, schema } = correlation;
  if (!Array.isArray(value) || !Array.isArray(old)) return undefined;
  const item: Json | undefined = value[index];
  if (item === undefined) return undefined;
  const before = findItem(old, item, schema);
  if (before === undefined) return undefined;
  return { value: item, old: before, schema: correlation.schema.items };
}

/** The item of a list of type map that has the same keys. */
export function findItem(list: readonly Json[], item: Json, schema: Schema): Json | undefined {
  if (schema.listType !== 'map' || !isJsonObject(item)) return undefined;
  const wanted = keyOf(item, schema);
  return list.find((one) => isJsonObject(one) && keyOf(one, schema) === wanted);
}

function keyOf(item: Json, { listMapKeys, items }: Schema): string {
  const keys = listMapKeys.map(
    (name) => fieldOf(item, name) ?? items?.properties.get(name)?.default ?? null,
  );
  return printExactJson(keys);
}

function fieldOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
