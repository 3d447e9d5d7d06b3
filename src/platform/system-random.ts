/** Chance as this machine makes it. For delays and their like; secrets need better. */
import type { Random } from '../ports/random.ts';

export const systemRandom: Random = { next: () => Math.random() };
