/**
 * About how many bytes a value takes as JSON, counted no further than a limit.
 *
 * Values share parts, so a document of a few parts can be gigabytes when it is written out. The
 * count stops as soon as the limit is passed; that also bounds the time it takes.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { isJsonList, own } from './json-access.ts';

/** The size, or some number above the limit. */
export function measureJson(value: Json, bytesMax: number): number {
  const waiting: Json[] = [value];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    bytes += measurePart(next, waiting);
    if (bytes + waiting.length > bytesMax) return bytesMax + 1;
  }
  return bytes;
}

/** The part without what is in it, which has to wait for its turn. */
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
