/** What came of one test. */
import type { Outcome } from './junit.ts';

export interface TestResult {
  readonly test: string;
  /** The name of its log and of its JUnit file. */
  readonly id: string;
  readonly seconds: number;
  readonly outcome: Outcome;
}

/** `sig-node` of `[sig-node] Pods should …`. */
export function sigOf(test: string): string {
  return /^\[(sig-[^\]]+)\]/.exec(test)?.[1] ?? 'other';
}
