/** Random numbers of this machine: fast for delays and choices, and unpredictable for identifiers. */
import { randomBytes } from 'node:crypto';
import type { IdentityRandom } from '../ports/random.ts';

export const systemRandom: IdentityRandom = {
  next: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
