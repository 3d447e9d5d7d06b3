/** Converts JSON to CEL values by its schema: the same number may be an int or a double. */
import {
  CelError,
  keyText,
  ListValue,
  MapValue,
  ObjectValue,
  readDuration,
  readTimestamp,
  type CelValue,
  type ObjectFields,
} from '../../../cel/cel.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Schema } from '../schema.ts';
import { withMeta } from './declared-type.ts';
import { printExactJson } from '../../../lib/json-text/exact-json.ts';

/** `isResource`: the value is the root of a resource. */
export function celValueOf(value: Json, schema: Schema, isResource = schema.isEmbedded): CelValue {
  if (value === null) return null;
  if (Array.isArray(value)) return readList(value, schema);
  if (isJsonObject(value)) {
    const { additional } = schema;
    if (typeof additional === 'object') {
      return new MapValue(
        Object.entries(value).map(
          ([name, inner]) => [name, celValueOf(inner, additional)] as const,
        ),
      );
    }
    return new ObjectValue(value, fieldsOf(isResource ? withMeta(schema) : schema));
  }
  if (typeof value === 'string') return readText(value, schema);
  if (typeof value === 'boolean') return value;
  return readNumber(value, schema);
}

function fieldsOf({ properties }: Schema): ObjectFields {
  return {
    has: (name) => properties.has(name),
    read: (name, value) => {
      const property = properties.get(name);
      return property && celValueOf(value, property);
    },
  };
}

function readNumber(value: Json, { type }: Schema): CelValue {
  if (typeof value === 'bigint') return type === 'number' ? Number(value) : value;
  if (typeof value !== 'number') return null;
  return type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function readText(text: string, { isIntOrString, type, format }: Schema): CelValue {
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

function require(value: CelValue | undefined, problem: string): CelValue {
  if (value === undefined) throw new CelError(problem);
  return value;
}

function readList(list: readonly Json[], { items, listType, listMapKeys }: Schema): CelValue {
  const values = items ? list.map((item) => celValueOf(item, items)) : [];
  if (listType === 'set') return new ListValue(values, setKey);
  if (listType !== 'map') return new ListValue(values);
  return new ListValue(values, (item) =>
    item instanceof ObjectValue
      ? printExactJson(listMapKeys.map((name) => item.json[name] ?? null))
      : keyText(item),
  );
}

function setKey(item: CelValue): string {
  return item instanceof ObjectValue ? printExactJson(item.json) : keyText(item);
}
