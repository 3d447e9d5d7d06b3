/** JSON as values of CEL, by its schema: the same number is an int here and a double there. */
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Schema } from '../schema.ts';
import { withMeta } from './declared-type.ts';
import { CelError } from './fault.ts';
import { readDuration, readTimestamp } from './library/time-text.ts';
import { keyText, ListValue, MapValue, ObjectValue, type Value } from './value.ts';

/** Reads what stands at the root of a resource, or anywhere else. */
export function readJson(value: Json, schema: Schema, isResource = schema.isEmbedded): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return readList(value, schema);
  if (isJsonObject(value)) {
    const { additional } = schema;
    if (typeof additional === 'object') {
      return new MapValue(
        Object.entries(value).map(([name, inner]) => [name, readJson(inner, additional)] as const),
      );
    }
    return new ObjectValue(value, isResource ? withMeta(schema) : schema, readJson);
  }
  if (typeof value === 'string') return readText(value, schema);
  if (typeof value === 'boolean') return value;
  return readNumber(value, schema);
}

function readNumber(value: Json, { type }: Schema): Value {
  if (typeof value !== 'number') return null;
  return type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function readText(text: string, { isIntOrString, type, format }: Schema): Value {
  if (isIntOrString || type !== 'string') return text;
  switch (format) {
    case 'byte':
      return Buffer.from(text, 'base64');
    case 'duration':
      return require(readDuration(text), `Invalid duration ${text}`);
    case 'date':
      return require(readTimestamp(`${text}T00:00:00Z`), `Invalid date ${text}`);
    case 'date-time':
      return require(readTimestamp(text), `Invalid date-time ${text}`);
    default:
      return text;
  }
}

function require(value: Value | undefined, complaint: string): Value {
  if (value === undefined) throw new CelError(complaint);
  return value;
}

function readList(list: readonly Json[], { items, listType, listMapKeys }: Schema): Value {
  const values = items ? list.map((item) => readJson(item, items)) : [];
  if (listType === 'set') return new ListValue(values, setKey);
  if (listType !== 'map') return new ListValue(values);
  return new ListValue(values, (item) =>
    item instanceof ObjectValue
      ? JSON.stringify(listMapKeys.map((name) => item.json[name] ?? null))
      : keyText(item),
  );
}

function setKey(item: Value): string {
  return item instanceof ObjectValue ? JSON.stringify(item.json) : keyText(item);
}
