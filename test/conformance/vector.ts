/** One line of a vector file: what went into a part of Kubernetes, and what came out. */
import type { Difference } from './differences.ts';

export interface Vector {
  /** The function or machine that was recorded. */
  readonly fn?: string;
  readonly scenario?: string;
  readonly [field: string]: unknown;
}

/** Plays one vector on podkeep's own code and says where the answers differ. */
export type Replayer = (vector: Vector) => readonly Difference[] | Promise<readonly Difference[]>;
