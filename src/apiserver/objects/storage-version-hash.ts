/**
 * Computes the storage version hash in discovery. Clients only compare it: if it has changed, stored objects
 * may have to be written again.
 */
import { createHash } from 'node:crypto';
import type { KindName } from './status.ts';

const HASH_BYTES = 8;

/**
 * Kinds that kube-apiserver still stores in an older version than it serves. The hash must be
 * kube-apiserver's, so that clients see no reason to write the objects again.
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
