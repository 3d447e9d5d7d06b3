/**
 * The random numbers of this machine: fast ones for delays and choices, unpredictable ones for identifiers.
 */
import { randomBytes } from 'node:crypto';
import type { IdentityRandom } from '../ports/random.ts';

export const systemRandom: IdentityRandom = {
  next: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
