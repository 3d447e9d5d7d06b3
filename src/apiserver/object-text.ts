/**
 * Objects as JSON text.
 *
 * A write is printed by the journal, then by the first watcher across a socket, and for whoever wrote it,
 * shortly after one another. And most writes change a status, under a spec that stays the very same. So
 * the last few texts of objects are remembered, and those of specs.
 */
import { isJsonObject, type JsonObject } from '../lib/json.ts';

const REMEMBERED_MAX = 256;
/** What is longer is rare, and would take more room than it is worth. */
const CHARS_MAX = 16 * 1024;

const remembered = new Map<JsonObject, string>();

/** The object must not change afterwards, as none does that the store has. */
export function printObject(object: JsonObject): string {
  return remember(object, printFields);
}

function printFields(object: JsonObject): string {
  const { spec } = object;
  if (!isJsonObject(spec)) return JSON.stringify(object);
  const fields = Object.keys(object).map((name) => {
    const text = name === 'spec' ? remember(spec, JSON.stringify) : JSON.stringify(object[name]);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${fields.join(',')}}`;
}

function remember(object: JsonObject, print: (object: JsonObject) => string): string {
  const known = remembered.get(object);
  if (known !== undefined) return known;
  const text = print(object);
  if (text.length > CHARS_MAX) return text;
  remembered.set(object, text);
  if (remembered.size > REMEMBERED_MAX) {
    const [oldest] = remembered.keys();
    if (oldest) remembered.delete(oldest);
  }
  return text;
}
