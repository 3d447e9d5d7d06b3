/**
 * Prints values and types as Go does.
 *
 * Kubernetes' patch errors quote the offending value with Go's `%v`, and people (and their scripts) know
 * those sentences. Long values are cut: an error should not repeat the body.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { isJsonList, own } from './json-access.ts';

const TEXT_MAX = 1000;
const DEPTH_MAX = 20;

/** `map[image:nginx name:web]`, `[a b]`, `<nil>`. */
export function printGo(value: Json): string {
  const text = print(value, 0);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text;
}

/** The Go type that JSON of this kind is decoded into. */
export function goTypeOf(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonList(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function print(value: Json, depth: number): string {
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (depth >= DEPTH_MAX) return '...';
  if (isJsonList(value)) return `[${value.map((item) => print(item, depth + 1)).join(' ')}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${print(own(value, key) ?? null, depth + 1)}`);
  return `map[${entries.join(' ')}]`;
}
