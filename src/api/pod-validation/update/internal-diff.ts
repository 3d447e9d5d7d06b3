/**
 * The difference between two values as kube-apiserver prints it: a unified diff with three lines of context,
 * of their internal forms.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { internalForm } from '../internal-form.ts';
import { diffLines } from './line-diff.ts';

export function diffInternally(a: JsonObject, b: JsonObject, typeName: string): string {
  return diffLines(linesOf(internalForm(a, typeName)), linesOf(internalForm(b, typeName)));
}

/** Indented by one space, with the characters escaped that Go escapes in JSON. */
function linesOf(value: Json): readonly string[] {
  const text = JSON.stringify(value, markInteger, 1)
    .replaceAll(MARKED_INTEGER, '$1')
    .replace(
      /[<>&\u2028\u2029]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return text.split('\n');
}

/** JSON.stringify prints no bigints: they are strings with a mark, until they are text. */
function markInteger(_key: string, value: Json): Json {
  return typeof value === 'bigint' ? `\0${value}` : value;
}

const MARKED_INTEGER = /"\\u0000(-?\d+)"/g;
