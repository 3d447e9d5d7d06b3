/** Prints values as Go does, for API errors that show a value. */
import { isJsonObject, type Json } from '../../lib/json.ts';

/** `map[data:map[n:1] list:[a b]]` */
export function printGoValue(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${name}:${printGoValue(inner)}`);
  return `map[${fields.join(' ')}]`;
}

/** Go's kind of a JSON value. */
export function goKindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (isJsonObject(value)) return 'map';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
