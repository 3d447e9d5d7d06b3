/** One line of a vector file: the input and the output of a part of Kubernetes. */
import type { Difference } from './differences.ts';

export interface Vector {
  /** The function or machine that was recorded. */
  readonly fn?: string;
  readonly scenario?: string;
  readonly [field: string]: unknown;
}

/** Plays one vector on podkeep's own code and returns where the answers differ. */
export type Replayer = (vector: Vector) => readonly Difference[] | Promise<readonly Difference[]>;
