/**
 * Decides whether the log shows the stack of an error: only for defects of podkeep, not for expected
 * failures.
 */
import { InvariantError } from '../../lib/assert.ts';
import { mapStack } from '../crash-report.ts';

const DEFECTS = [InvariantError, TypeError, RangeError, ReferenceError, SyntaxError];

/** Null: the failure is expected, or the value is not an error. */
export function errorStackOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.stack === undefined) return null;
  return DEFECTS.some((kind) => error instanceof kind) ? mapStack(error.stack) : null;
}
