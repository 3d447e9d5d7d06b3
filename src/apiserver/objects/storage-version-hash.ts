/**
 * A hash of the version in which objects of a kind are stored, published in discovery. Clients only compare
 * it: if it changed, stored objects may need to be written again.
 */
import { createHash } from 'node:crypto';
import type { KindName } from './status.ts';

const HASH_BYTES = 8;

/**
 * kube-apiserver still stores these under an older version than it serves. The hash must be the same here, so
 * that clients see no need to write them again.
 */
const KEPT_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io/CustomResourceDefinition', 'v1beta1'],
]);

export function storageVersionHash({
  group,
  version,
  kind,
}: KindName & { readonly version: string }): string {
  const kept = KEPT_VERSIONS.get(`${group}/${kind}`) ?? version;
  const digest = createHash('sha256').update(`${group}/${kept}/${kind}`).digest();
  return digest.subarray(0, HASH_BYTES).toString('base64');
}
