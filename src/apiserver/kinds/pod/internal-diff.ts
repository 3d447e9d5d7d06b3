/**
 * The difference between two values as kube-apiserver shows it: a unified diff, three lines of
 * context, of the values as it holds them inside.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import { internalForm } from '../pod-template/internal-form.ts';
import { diffLines } from './line-diff.ts';

export function diffInternally(a: JsonObject, b: JsonObject, typeName: string): string {
  return diffLines(linesOf(internalForm(a, typeName)), linesOf(internalForm(b, typeName)));
}

/** Indented by one blank, with the characters escaped that Go escapes in JSON. */
function linesOf(value: Json): readonly string[] {
  const text = JSON.stringify(value, null, 1).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.split('\n');
}
