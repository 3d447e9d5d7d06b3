/**
 * Chance, as something you are handed. With a seeded one the same run happens twice.
 */
export interface Random {
  /** Uniform, at least 0 and below 1. */
  next(): number;
}
