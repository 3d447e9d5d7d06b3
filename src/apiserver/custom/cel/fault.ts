/** What can go wrong with an expression: it makes no sense, or it fails while it runs. */

/** The expression cannot be compiled. The message shows where. */
export class CelFault extends Error {
  override readonly name = 'CelFault';
  readonly at: number;

  /** `at`: where in the text. */
  constructor(text: string, at: number, problem: string) {
    super(describe(text, at, problem));
    this.at = at;
  }
}

/** Part of the expression is known already to fail whenever it is asked. */
export class CelFailure extends Error {
  override readonly name = 'CelFailure';
}

function describe(text: string, at: number, problem: string): string {
  const before = text.slice(0, at).split('\n');
  const column = codePoints(before.at(-1) ?? '').length;
  const line = text.split('\n')[before.length - 1] ?? '';
  const place = `<input>:${before.length}:${column + 1}`;
  return `ERROR: ${place}: ${problem}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** The expression could not be evaluated: no such key, division by zero. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

/** It did more than it may, and was stopped. */
export class CostExceeded extends CelError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

/**
 * Counts what an expression does, in units that are about as long as one step of it. Nothing that an
 * expression can do takes long without being counted, so the limit is also one of time.
 */
export class Budget {
  spent = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  spend(cost: number): void {
    this.spent += cost;
    if (this.spent > this.limit) throw new CostExceeded();
  }

  /** For walking over a text or a list: ten of its parts are one step. */
  walk(length: number): void {
    this.spend(Math.ceil(length / 10));
  }
}
import { codePoints } from '../code-points.ts';
