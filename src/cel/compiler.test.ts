import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileProgram, FaultList } from './compiler.ts';
import { Budget, CelFailure, CelFault, CostExceeded } from './fault.ts';
import type { CelType } from './type.ts';

const SELF: ReadonlyMap<string, CelType> = new Map([['self', { kind: 'dyn' }]]);
const WORDS = [
  'self',
  '.',
  'a',
  '(',
  ')',
  '[',
  ']',
  '1',
  "'x'",
  '+',
  '&&',
  '?',
  ':',
  'all',
  ',',
  'size',
  '!',
  '{',
  '}',
  '-',
  ' in ',
  'has',
  '.?',
];

/** It compiles, or reports why it does not: any other error is thrown on. */
function isUnderstood(text: string): boolean {
  try {
    compileProgram(text, SELF);
    return true;
  } catch (error) {
    if (error instanceof CelFault || error instanceof FaultList) return true;
    return error instanceof CelFailure;
  }
}

describe('a program', () => {
  test('reports everything that is wrong with it, in the order of the text', () => {
    expect(() => compileProgram('nope + self.foo(other)', new Map())).toThrow(
      "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n" +
        ' | nope + self.foo(other)\n | ^\n' +
        "ERROR: <input>:1:8: undeclared reference to 'self' (in container '')",
    );
  });

  test('shows the line of an error', () => {
    expect(() => compileProgram('true &&\n  1', new Map())).toThrow(
      "ERROR: <input>:2:3: expected type 'bool' but found 'int'\n |   1\n | ..^",
    );
  });

  test('knows which names it uses', () => {
    const variables = new Map<string, CelType>([
      ['self', { kind: 'int' }],
      ['oldSelf', { kind: 'int' }],
    ]);
    expect([...compileProgram('self == 1', variables).uses]).toEqual(['self']);
    expect([...compileProgram('[1].all(oldSelf, oldSelf > 0)', variables).uses]).toEqual([
      'oldSelf',
    ]);
  });

  test('is stopped when it exceeds its budget', () => {
    const program = compileProgram('lists.range(100).all(x, x >= 0)', new Map());
    expect(program.run([], new Budget(10_000))).toBe(true);
    expect(() => program.run([], new Budget(50))).toThrow(CostExceeded);
  });

  test('of random words compiles, or reports why it does not', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }), (words) => {
        expect(isUnderstood(words.join(''))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
