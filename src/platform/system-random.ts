/** Chance as this machine makes it: quick for delays and choices, and unpredictable for identities. */
import { randomBytes } from 'node:crypto';
import type { IdentityRandom } from '../ports/random.ts';

export const systemRandom: IdentityRandom = {
  next: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
