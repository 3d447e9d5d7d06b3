/**
 * Where decisions go, so that "why is this pod in this state?" is answered from what was decided
 * and not from guesses. It never throws, and it does not call back into the one who decides.
 */
import type { PodReference } from './pod-reference.ts';

export interface DecisionRecord {
  /** Wall time in milliseconds. */
  readonly atMs: number;
  readonly pod: PodReference;
  /** Who decided, such as `pod-worker`. */
  readonly machine: string;
  readonly from: string;
  /** The same as `from` if the decision was made within one phase. */
  readonly to: string;
  readonly why: string;
}

export interface DecisionLog {
  record(decision: DecisionRecord): void;
}
