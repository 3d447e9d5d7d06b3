/**
 * Supplies random numbers. Tests and simulations pass a seeded source, so that a run can be repeated.
 */
export interface Random {
  /** Uniform, at least 0 and below 1. For delays, choices and the like: it can be predicted. */
  next(): number;
}

/**
 * Random numbers for identifiers: UIDs, IDs of tokens, serial numbers of certificates, generated names.
 * The system's are cryptographically secure, so that no client can predict the next one from those that
 * it has seen; only tests pass a seeded source.
 */
export interface IdentityRandom extends Random {
  /** Uniform and independent bytes. */
  bytes(length: number): Uint8Array;
}
