/**
 * Evaluates the boolean parts of `&&`, `||` and the macros. The failure of one part is ignored if another
 * part decides the result.
 */
import { CelError, CostExceeded, noSuchOverload } from './fault.ts';
import type { CelValue } from './value.ts';

export function asBoolean(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** The boolean, or the error that evaluating it threw. CostExceeded is thrown on. */
export function attempt(run: () => boolean): boolean | CelError {
  try {
    return run();
  } catch (error) {
    if (error instanceof CostExceeded || !(error instanceof CelError)) throw error;
    return error;
  }
}
