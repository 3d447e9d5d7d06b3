/** The errors of compiling and of evaluating an expression, and the budget of an evaluation. */
import { codePoints } from '../lib/code-points.ts';

/** The expression cannot be compiled. The message shows where. */
export class CelFault extends Error {
  override readonly name = 'CelFault';
  readonly at: number;

  /** `at`: the position in the text. */
  constructor(text: string, at: number, problem: string) {
    super(describe(text, at, problem));
    this.at = at;
  }
}

/** A part of the expression would fail whenever it is evaluated. */
export class CelFailure extends Error {
  override readonly name = 'CelFailure';
}

function describe(text: string, at: number, problem: string): string {
  const before = text.slice(0, at).split('\n');
  const column = codePoints(before.at(-1) ?? '').length;
  const line = text.split('\n')[before.length - 1] ?? '';
  const fieldPath = `<input>:${before.length}:${column + 1}`;
  return `ERROR: ${fieldPath}: ${problem}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** The expression could not be evaluated: no such key, division by zero. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

/** The evaluation spent its budget and was stopped. */
export class CostExceeded extends CelError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

/**
 * Counts the cost of an expression, in units of about one step. Nothing that an expression can do takes long
 * without being counted, so the limit also bounds time.
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

  /** Charges for iterating over a text or a list: one unit for every ten characters or items. */
  walk(length: number): void {
    this.spend(Math.ceil(length / 10));
  }
}
