/**
 * Migrates from client-side to server-side apply. kubectl recorded its last client-side configuration in an
 * annotation. kubectl becomes the manager of those fields of that configuration whose values are still the
 * same in the object, so its first server-side apply has no conflicts.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { compareValues } from './compare-values.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { checkTyped } from './validate-value.ts';
import { fieldsOf } from './value-fields.ts';
import { parseExactJson, printExactJson } from '../../lib/json-text/exact-json.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The unchanged fields of the last client-side configuration. Undefined: there is no such annotation, it is
 * not readable, or it is of another version.
 */
export function lastAppliedFields(
  live: JsonObject,
  type: FieldType,
  apiVersion: string,
): FieldSet | undefined {
  const text = lastAppliedOf(live);
  const config = text === undefined ? undefined : parse(text);
  if (!isJsonObject(config) || config['apiVersion'] !== apiVersion) return undefined;
  try {
    checkTyped(live, type, false);
    checkTyped(config, type, false);
  } catch {
    return undefined;
  }
  const { removed, modified, added } = compareValues(config, live, type);
  return difference(difference(difference(fieldsOf(config, type), modified), added), removed);
}

export function lastAppliedOf({ metadata }: JsonObject): string | undefined {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const text = isJsonObject(annotations) ? annotations[LAST_APPLIED] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * Updates the last-applied annotation of the live object to the new configuration, if the object has that
 * annotation.
 */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  if (lastAppliedOf(object) === undefined) return object;
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  const text = `${printExactJson(sorted(withoutAnnotation(config)))}\n`;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } },
  };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const { metadata } = config;
  if (!isJsonObject(metadata) || !isJsonObject(metadata['annotations'])) return config;
  const { [LAST_APPLIED]: _, ...annotations } = metadata['annotations'];
  const { annotations: _old, ...rest } = metadata;
  const isBare = Object.keys(annotations).length === 0;
  return { ...config, metadata: isBare ? rest : { ...rest, annotations } };
}

/** Sorts the keys of all maps, as Go's JSON encoder does. */
function sorted(value: Json): Json {
  if (!isJsonObject(value)) {
    const items: readonly Json[] | null = Array.isArray(value) ? value : null;
    return items ? items.map(sorted) : value;
  }
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function parse(text: string): Json | undefined {
  try {
    const value = parseExactJson(text);
    return value;
  } catch {
    return undefined;
  }
}
