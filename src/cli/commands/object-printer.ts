/** Prints whole objects as JSON or YAML, as kubectl does: keys sorted, without managedFields. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

const INDENT = 4;

export async function printObject(object: JsonObject, form: 'json' | 'yaml'): Promise<string> {
  const shown = sortKeys(withoutManagers(object));
  if (form === 'json') return `${printExactJson(shown, INDENT)}\n`;
  const { stringify } = await import('yaml');
  return stringify(shown, { compat: 'yaml-1.1', indentSeq: false, aliasDuplicateObjects: false });
}

export function listOf(items: readonly JsonObject[]): JsonObject {
  const shown = items.map(withoutManagers);
  return { apiVersion: 'v1', items: shown, kind: 'List', metadata: { resourceVersion: '' } };
}

function withoutManagers(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.map(sortKeys);
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
