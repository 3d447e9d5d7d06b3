import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyJson } from '../../../../test/apiserver/custom-schemas.ts';
import { isJsonObject } from '../../../lib/json.ts';
import rules from '../recorded/rules.generated.json' with { type: 'json' };
import { readSchema } from '../schema.ts';
import { compileProgram, FaultList } from './compiler.ts';
import { Budget, CelFailure, CelFault, CostExceeded } from './fault.ts';
import { RuleSet } from './rule-set.ts';
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

/** It compiles, or it is told why it does not: anything else would be thrown on. */
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
  test('says everything that is wrong with it, in the order of the text', () => {
    expect(() => compileProgram('nope + self.foo(other)', new Map())).toThrow(
      "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n" +
        ' | nope + self.foo(other)\n | ^\n' +
        "ERROR: <input>:1:8: undeclared reference to 'self' (in container '')",
    );
  });

  test('shows the line on which it is wrong', () => {
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

  test('is stopped when it has done enough', () => {
    const program = compileProgram('lists.range(100).all(x, x >= 0)', new Map());
    expect(program.run([], new Budget(10_000))).toBe(true);
    expect(() => program.run([], new Budget(50))).toThrow(CostExceeded);
  });

  test('of whatever words compiles, or says why it does not', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }), (words) => {
        expect(isUnderstood(words.join(''))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test('rules that meet an object they were not made for complain, and never break', () => {
  const fields = isJsonObject(rules.fields) ? rules.fields : {};
  const sound = rules.rules.filter(({ fault }) => fault === undefined);
  const validations = sound.map(({ rule }) => ({ rule }));
  const spec = { type: 'object', properties: fields, 'x-kubernetes-validations': validations };
  const set = new RuleSet(readSchema({ type: 'object', properties: { spec } }));
  const names = Object.keys(fields);
  const strange = fc.dictionary(fc.constantFrom(...names), anyJson, { maxKeys: 30 });
  fc.assert(
    fc.property(strange, (value) => {
      expect(Array.isArray(set.check({ spec: value }, undefined))).toBe(true);
    }),
    { numRuns: 60 },
  );
});
