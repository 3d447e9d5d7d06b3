/**
 * Objects as JSON text.
 *
 * A write is printed by the journal, then by the first watcher across a socket, and for whoever wrote it,
 * shortly after one another: so the last few texts are remembered.
 */
import type { JsonObject } from '../lib/json.ts';

const REMEMBERED_MAX = 128;
/** What is longer is rare, and would take more room than it is worth. */
const CHARS_MAX = 16 * 1024;

const remembered = new Map<JsonObject, string>();

/** The object must not change afterwards, as none does that the store has. */
export function printObject(object: JsonObject): string {
  const known = remembered.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  if (text.length > CHARS_MAX) return text;
  remembered.set(object, text);
  if (remembered.size > REMEMBERED_MAX) {
    const [oldest] = remembered.keys();
    if (oldest) remembered.delete(oldest);
  }
  return text;
}
