/**
 * Records decisions, so that "why is this pod in this state?" has an answer that is not a guess. It never
 * throws, and it does not call back into the state machine that decides.
 */
import type { PodReference } from '../../api/pod-reference.ts';

export interface DecisionRecord {
  /** Wall time in milliseconds. */
  readonly atMs: number;
  readonly pod: PodReference;
  /** The machine that decided, such as `pod-worker`. */
  readonly machine: string;
  readonly from: string;
  /** The same as `from` if the decision was made within one phase. */
  readonly to: string;
  readonly why: string;
  /** What the pod waits for, as a noun phrase. Absent: this is no wait. */
  readonly waitsFor?: string;
  /** Since when it waits for that, in milliseconds of wall time. */
  readonly sinceMs?: number;
  /** How often it was tried so far, in this wait. */
  readonly attempts?: number;
  /** When it is tried again, or when the wait ends. Absent: an event decides, and no clock. */
  readonly nextAtMs?: number;
}

export interface DecisionLog {
  record(decision: DecisionRecord): void;
}
