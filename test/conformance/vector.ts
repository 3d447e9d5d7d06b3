/** One line of a vector file: what went into a function of the kubelet, and what came out. */

export interface Vector {
  readonly fn: string;
  readonly [field: string]: unknown;
}

import type { Difference } from './differences.ts';

/** Plays one vector on podkeep's own code and says where the answers differ. */
export type Replayer = (vector: Vector) => readonly Difference[] | Promise<readonly Difference[]>;
