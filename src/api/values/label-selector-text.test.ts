import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import { matchesLabels, NOTHING, selectorFromObject } from './label-selector.ts';
import { formatLabelSelector, parseLabelSelector } from './label-selector-text.ts';

const invalid = (reason: string): unknown =>
  expect.objectContaining({ code: 'SELECTOR_INVALID', message: expect.stringContaining(reason) });

describe('reading (L-1)', () => {
  test('every operator has its text', () => {
    expect(parseLabelSelector('a=1,b==2,c!=3,d in (4),e notin (5),f,!g,h>6,i<7')).toEqual([
      { key: 'a', operator: '=', values: ['1'] },
      { key: 'b', operator: '==', values: ['2'] },
      { key: 'c', operator: '!=', values: ['3'] },
      { key: 'd', operator: 'in', values: ['4'] },
      { key: 'e', operator: 'notin', values: ['5'] },
      { key: 'f', operator: 'exists', values: [] },
      { key: 'g', operator: '!', values: [] },
      { key: 'h', operator: 'gt', values: ['6'] },
      { key: 'i', operator: 'lt', values: ['7'] },
    ]);
  });

  test('an empty or blank text selects everything', () => {
    for (const text of ['', ' ', '\t\r\n']) expect(parseLabelSelector(text)).toEqual([]);
  });

  test('blanks separate words and mean nothing else', () => {
    expect(parseLabelSelector(' a  in\t( x ,y )\n,\r! b , c = z ')).toEqual(
      parseLabelSelector('a in (x,y),!b,c=z'),
    );
  });

  test('requirements come in the order of their keys, values sorted and once each', () => {
    expect(parseLabelSelector('b,a in (y,x,y)')).toEqual([
      { key: 'a', operator: 'in', values: ['x', 'y'] },
      { key: 'b', operator: 'exists', values: [] },
    ]);
  });

  test('a missing value is the empty string', () => {
    expect(parseLabelSelector('a=')).toEqual([{ key: 'a', operator: '=', values: [''] }]);
    expect(parseLabelSelector('a!=,b')).toContainEqual({ key: 'a', operator: '!=', values: [''] });
  });

  test.each([
    ['()', ['']],
    ['(,)', ['']],
    ['(x,)', ['', 'x']],
    ['(,x)', ['', 'x']],
    ['(x,,y)', ['', 'x', 'y']],
    ['(in,notin)', ['in', 'notin']],
  ])('the list %s holds %j', (list, values) => {
    expect(parseLabelSelector(`a in ${list}`)).toEqual([{ key: 'a', operator: 'in', values }]);
  });

  test('in and notin are keys where a key must stand', () => {
    expect(parseLabelSelector('in in (in),notin')).toEqual([
      { key: 'in', operator: 'in', values: ['in'] },
      { key: 'notin', operator: 'exists', values: [] },
    ]);
    expect(parseLabelSelector('a=in')).toEqual([{ key: 'a', operator: '=', values: ['in'] }]);
  });
});

describe('refusals', () => {
  test.each([
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a b', "found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a exists', "found 'exists', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "found '', expected: identifier"],
    ['!!a', "found '!', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!a in (b)', "found 'in', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a===b', "found '=', expected: identifier"],
    ['a=(b)', "found '(', expected: identifier"],
    ['a in', "found '' expected: '('"],
    ['a in b', "found 'b' expected: '('"],
    ['a in (b', "found '', expected: ',' or ')'"],
    ['a in (b c)', "found 'c', expected: ',' or ')'"],
    ['a in (b,', "found '', expected: ',' or ')'"],
    ['a in (b=c)', "found '=', expected: ',' or ')'"],
    ['a in (b))', "found ')', expected: ',' or 'end of string'"],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => parseLabelSelector(text)).toThrow(invalid(reason));
  });

  test('more and less need an integer that is valid in a label', () => {
    for (const text of ['a>x', 'a>', 'a<1.5', 'a>-1', 'a>+1', 'a<9223372036854775808']) {
      expect(() => parseLabelSelector(text)).toThrow(invalid('values[0]'));
    }
  });

  test('keys and values are those of labels', () => {
    expect(() => parseLabelSelector('bad!=1')).not.toThrow();
    expect(() => parseLabelSelector('-a=1')).toThrow(
      invalid('key: Invalid value: "-a": name part'),
    );
    expect(() => parseLabelSelector('a/b/c')).toThrow(invalid('a valid label key must consist'));
    expect(() => parseLabelSelector('!x_')).toThrow(invalid('key: Invalid value: "x_"'));
    expect(() => parseLabelSelector('a=-b')).toThrow(invalid('values[0][a]: Invalid value: "-b"'));
    expect(() => parseLabelSelector(`a=${'x'.repeat(64)}`)).toThrow(invalid('63 bytes'));
    expect(() => parseLabelSelector('a=b\0')).toThrow(invalid('values[0][a]'));
  });

  test('a long selector makes a short error', () => {
    expect(() => parseLabelSelector('x'.repeat(1_000_000))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('x'.repeat(3000)) }),
    );
  });

  test('the error shows the selector and an example', () => {
    expect(() => parseLabelSelector('a b')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^label selector "a b" is not valid: unable to parse req/),
        hint: expect.stringContaining('app=web'),
      }),
    );
  });
});

describe('writing', () => {
  test('lists are sorted, and everything else stands as it is', () => {
    const selector = selectorFromObject({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }],
    });
    expect(formatLabelSelector(selector)).toBe('app=web,tier in (a,b)');
    expect(formatLabelSelector(parseLabelSelector('!b, a==1 ,c<2,d > 3,e'))).toBe(
      'a==1,!b,c<2,d>3,e',
    );
  });

  test('the selector of nothing has a text that cannot be read as everything', () => {
    const text = formatLabelSelector(NOTHING);
    expect(text).toBe('<nothing>');
    expect(() => parseLabelSelector(text)).toThrow(invalid("found '<'"));
  });
});

function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof PodkeepError ? error.code : `not our error: ${String(error)}`;
  }
}

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'in', 'example.com/role', 'constructor');
  const value = fc.constantFrom('', 'x', 'y', 'in', '5', 'A_b-c.d');
  const requirement = fc.oneof(
    key,
    key.map((name) => `!${name}`),
    fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
    fc
      .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, { maxLength: 4 }))
      .map(([name, operator, values]) => `${name} ${operator} (${values.join(', ')})`),
    fc.tuple(key, fc.constantFrom('<', '>'), fc.nat()).map((parts) => parts.join(' ')),
  );
  const labels = fc.dictionary(key, value, { maxKeys: 4 });
  const texts = fc.array(requirement, { maxLength: 5 });

  test('the text of a selector reads back as the same selector', () => {
    fc.assert(
      fc.property(texts, (requirements) => {
        const selector = parseLabelSelector(requirements.join(','));
        expect(parseLabelSelector(formatLabelSelector(selector))).toEqual(selector);
      }),
      { numRuns: 500 },
    );
  });

  test('a selector matches when each of its requirements does', () => {
    fc.assert(
      fc.property(texts, labels, (requirements, own) => {
        const each = requirements.every((text) => matchesLabels(parseLabelSelector(text), own));
        expect(matchesLabels(parseLabelSelector(requirements.join(',')), own)).toBe(each);
      }),
      { numRuns: 500 },
    );
  });

  test('any text is either read or refused with our error', () => {
    const noise = fc.array(fc.constantFrom(...'ab5=!(),<> '.split(''), 'in', 'notin', '\0', 'é'));
    fc.assert(
      fc.property(noise, (parts) => {
        const code = refusalOf(() => parseLabelSelector(parts.join('')));
        expect(['SELECTOR_INVALID', undefined]).toContain(code);
      }),
      { numRuns: 1000 },
    );
  });
});
