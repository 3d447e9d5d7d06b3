/**
 * Computes the value of the label `pod-template-hash`.
 *
 * kube-controller-manager hashes a dump of a Go struct, which depends on the version of Go's types. podkeep
 * applies the same checksum (FNV-1a) and alphabet to the template as JSON with sorted keys: the value is
 * stable, and differs from that of kube-controller-manager. Both recognize each other's ReplicaSets by the
 * template, never by the hash.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../lib/json.ts';
import { fnv1a32 } from '../../../../lib/fnv.ts';
import { printExactJson } from '../../../../lib/json-text/exact-json.ts';

/** Letters and digits that form no words, as in generated names. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export function templateHash(template: JsonObject, collisions: number): string {
  const text = canonical(template) + (collisions === 0 ? '' : `\n${collisions}`);
  const digits = String(fnv1a32(new TextEncoder().encode(text)));
  return digits.replaceAll(/\d/g, (digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length] ?? '');
}

/** JSON with sorted keys. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return printExactJson(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}
