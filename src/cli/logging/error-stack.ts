/** The stack of an error that is a defect of podkeep; those of expected failures help no reader. */
import { InvariantError } from '../../lib/assert.ts';
import { mapStack } from '../crash-report.ts';

const DEFECTS = [InvariantError, TypeError, RangeError, ReferenceError, SyntaxError];

/** Null: it is expected, or no error. */
export function errorStackOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.stack === undefined) return null;
  return DEFECTS.some((kind) => error instanceof kind) ? mapStack(error.stack) : null;
}
