/**
 * Prints objects as JSON, with a small cache.
 *
 * Each written object is printed several times within a short time: for the journal, for the first remote
 * watcher, and for the response to the client. And most writes change only the status. So the last few texts
 * of objects and of specs are cached.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

const REMEMBERED_MAX = 256;
/** Longer texts are rare, and would take more memory than they save. */
const CHARS_MAX = 16 * 1024;

const remembered = new Map<JsonObject, string>();

/** The object must not change afterwards; stored objects never do. */
export function printObject(object: JsonObject): string {
  return remember(object, printFields);
}

function printFields(object: JsonObject): string {
  const { spec } = object;
  if (!isJsonObject(spec)) return printExactJson(object);
  const fields = Object.keys(object).map((name) => {
    const text =
      name === 'spec' ? remember(spec, printExactJson) : printExactJson(object[name] ?? null);
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
