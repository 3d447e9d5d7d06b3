import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import {
  escapeFieldValue,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from './field-selector.ts';
import type { FieldRequirement } from './field-selector.ts';

const invalid = (reason: string): unknown =>
  expect.objectContaining({ code: 'SELECTOR_INVALID', message: expect.stringContaining(reason) });

describe('reading', () => {
  test('conditions are joined by commas, and == is =', () => {
    expect(parseFieldSelector('status.phase!=Running,metadata.name==web,spec.nodeName=')).toEqual([
      { field: 'metadata.name', operator: '=', value: 'web' },
      { field: 'spec.nodeName', operator: '=', value: '' },
      { field: 'status.phase', operator: '!=', value: 'Running' },
    ]);
  });

  test('an empty text selects everything, and empty conditions are passed over', () => {
    for (const text of ['', ',', ',,', '=', '!=,==']) expect(parseFieldSelector(text)).toEqual([]);
    expect(parseFieldSelector(',a=1,')).toEqual([{ field: 'a', operator: '=', value: '1' }]);
  });

  test('a backslash takes away the meaning of a comma, an equals sign and a backslash', () => {
    expect(parseFieldSelector(String.raw`a=x\,y\=z\\`)).toEqual([
      { field: 'a', operator: '=', value: 'x,y=z\\' },
    ]);
  });

  test('blanks are part of fields and values', () => {
    expect(parseFieldSelector('a = b')).toEqual([{ field: 'a ', operator: '=', value: ' b' }]);
  });

  test('an exclamation mark alone is no operator', () => {
    expect(parseFieldSelector('a!b=c!')).toEqual([{ field: 'a!b', operator: '=', value: 'c!' }]);
  });
});

describe('refusals', () => {
  test.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=1,b', "can't understand 'b'"],
    ['a=b=c', 'unescaped character in value: ='],
    ['a===b', 'unescaped character in value: ='],
    [String.raw`a=\b`, String.raw`invalid escape sequence: \b`],
    ['a=\\😀', 'invalid escape sequence: \\😀'],
    ['a=b\\', 'invalid escape sequence: \\'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => parseFieldSelector(text)).toThrow(invalid(reason));
  });

  test('the error shows the selector and an example', () => {
    expect(() => parseFieldSelector('x')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^field selector "x" is not valid: /),
        hint: expect.stringContaining('metadata.name=web'),
      }),
    );
  });
});

describe('matching', () => {
  const selector = parseFieldSelector('metadata.name=web,status.phase!=Running');

  test('all conditions must hold, on a table or on a function', () => {
    const pod = { 'metadata.name': 'web', 'status.phase': 'Pending' };
    expect(matchesFields(selector, pod)).toBe(true);
    expect(matchesFields(selector, { ...pod, 'status.phase': 'Running' })).toBe(false);
    expect(matchesFields(selector, (field) => (field === 'metadata.name' ? 'web' : null))).toBe(
      true,
    );
    expect(matchesFields(selector, () => undefined)).toBe(false);
    expect(matchesFields([], {})).toBe(true);
  });

  test('a field without a value is the empty string, whatever the prototype holds', () => {
    expect(matchesFields(parseFieldSelector('spec.nodeName='), {})).toBe(true);
    expect(matchesFields(parseFieldSelector('spec.nodeName!='), {})).toBe(false);
    expect(matchesFields(parseFieldSelector('constructor='), {})).toBe(true);
  });
});

/** The order may differ: conditions are sorted as they were written, with = or with ==. */
function showCondition(condition: FieldRequirement): string {
  return JSON.stringify(condition);
}

function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof PodkeepError ? error.code : `not our error: ${String(error)}`;
  }
}

describe('laws', () => {
  test('any value can be written and comes back', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('\\', ',', '=', '!', 'a') })),
        fc.constantFrom('=', '==', '!='),
        (value, operator) => {
          const selector = parseFieldSelector(`f${operator}${escapeFieldValue(value)}`);
          expect(selector).toEqual([
            { field: 'f', operator: operator === '!=' ? '!=' : '=', value },
          ]);
          expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector);
        },
      ),
    );
  });

  test('any text is either refused with our error, or reads back as the same conditions', () => {
    const noise = fc.string({ unit: fc.constantFrom('a', '=', '!', ',', '\\', 'é') });
    fc.assert(
      fc.property(noise, (text) => {
        const code = refusalOf(() => {
          const selector = parseFieldSelector(text);
          const again = parseFieldSelector(formatFieldSelector(selector));
          expect(again.map(showCondition).sort()).toEqual(selector.map(showCondition).sort());
        });
        expect(['SELECTOR_INVALID', undefined]).toContain(code);
      }),
      { numRuns: 1000 },
    );
  });
});
