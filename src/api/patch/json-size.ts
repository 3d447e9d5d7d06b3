/**
 * Estimates the size of a value as JSON, up to a limit.
 *
 * Values share parts in memory, so a small document can be gigabytes when it is serialized. Counting stops
 * when the limit is exceeded, which also bounds the time.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { isJsonList, own } from './json-access.ts';

/** The size in bytes, or a number above `bytesMax`. */
export function measureJson(value: Json, bytesMax: number): number {
  const waiting: Json[] = [value];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    bytes += measurePart(next, waiting);
    if (bytes + waiting.length > bytesMax) return bytesMax + 1;
  }
  return bytes;
}

/** The size of the part without its children, which are pushed to `waiting`. */
function measurePart(part: Json, waiting: Json[]): number {
  if (typeof part === 'string') return part.length + 2;
  if (isJsonList(part)) {
    for (const item of part) waiting.push(item);
    return part.length + 1;
  }
  if (!isJsonObject(part)) return String(part).length;
  let bytes = 1;
  for (const key of Object.keys(part)) {
    waiting.push(own(part, key) ?? null);
    bytes += key.length + 4;
  }
  return bytes;
}
