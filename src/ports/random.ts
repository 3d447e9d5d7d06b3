/**
 * Chance, as something you are handed. With a seeded one the same run happens twice.
 */
export interface Random {
  /** Uniform, at least 0 and below 1. For delays, choices and their like: it can be predicted. */
  next(): number;
}

/**
 * Chance for what identifies: UIDs, ids of tokens, serial numbers of certificates, generated names. The
 * system's comes from its source for keys, so that no client can predict the next one from those that it
 * has seen; only tests pass a seeded one.
 */
export interface IdentityRandom extends Random {
  /** Uniform and independent, each of them. */
  bytes(length: number): Uint8Array;
}
