/**
 * Prints the difference between two values as kube-apiserver does: a unified diff of their internal forms
 * with three lines of context.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { internalForm } from '../internal-form.ts';
import { diffLines } from './line-diff.ts';

export function diffInternally(a: JsonObject, b: JsonObject, typeName: string): string {
  return diffLines(linesOf(internalForm(a, typeName)), linesOf(internalForm(b, typeName)));
}

/** The value as JSON lines, indented by one space and escaped as Go escapes JSON. */
function linesOf(value: Json): readonly string[] {
  const text = JSON.stringify(value, markInteger, 1)
    .replaceAll(MARKED_INTEGER, '$1')
    .replace(
      /[<>&\u2028\u2029]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return text.split('\n');
}

/**
 * JSON.stringify refuses bigints, so each becomes a string with a mark, which is removed from the text
 * afterwards.
 */
function markInteger(_key: string, value: Json): Json {
  return typeof value === 'bigint' ? `\0${value}` : value;
}

const MARKED_INTEGER = /"\\u0000(-?\d+)"/g;
