/** Values as Go prints them, where a complaint of the API shows what it was given. */
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

/** The kind of what JSON becomes in Go. */
export function goKindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (isJsonObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
