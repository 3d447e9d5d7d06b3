/** Truth values, and answers that failed but may not matter. */
import { CelError, CostExceeded, noSuchOverload } from './fault.ts';
import type { Value } from './value.ts';

export function asBoolean(value: Value): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** The answer, or why there is none. Having done too much is not one of many answers: it ends all. */
export function attempt(run: () => boolean): boolean | CelError {
  try {
    return run();
  } catch (error) {
    if (error instanceof CostExceeded || !(error instanceof CelError)) throw error;
    return error;
  }
}
