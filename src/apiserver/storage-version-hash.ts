/**
 * A short word for the version in which objects of a kind are kept, told in discovery. Clients only
 * compare it: if it changed, then what is stored may need to be written again.
 */
import { createHash } from 'node:crypto';
import type { KindName } from './status.ts';

const HASH_BYTES = 8;

export function storageVersionHash({
  group,
  version,
  kind,
}: KindName & { readonly version: string }): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, HASH_BYTES).toString('base64');
}
