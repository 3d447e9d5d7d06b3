/**
 * Computes FNV-1a with 32 bits: a checksum against accidents, not against attackers.
 *
 * Kubernetes' kubelet uses it for its checkpoints (KL-97), so podkeep has to compute the same numbers.
 */

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** From 0 to 2^32 - 1. */
export function fnv1a32(bytes: Uint8Array): number {
  let hash = OFFSET_BASIS;
  // The product of two 32-bit numbers does not fit in a double; imul returns its low half exactly.
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}
