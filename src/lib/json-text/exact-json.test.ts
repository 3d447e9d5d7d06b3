/** Integers survive a round trip through text, and everything else is as JSON.parse and JSON.stringify have it. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json } from '../json.ts';
import {
  checkDoubles,
  isInt64,
  jsonInteger,
  parseExactJson,
  printExactJson,
} from './exact-json.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(jsonInteger);

/** Any JSON, with integers of 64 bits, strings that look like them, and a field called __proto__. */
const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    int64,
    fc.constantFrom<Json>(null, true, false, ''),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(canonical),
    fc.string({ unit: 'binary' }),
    int64.map(String),
    int64.map((integer) => `"${integer}\\`),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.constant('__proto__')), tie('json')), {
        maxLength: 4,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).json;

/** The double that comes back: a large whole one is an integer once it is text, and zero has no sign. */
function canonical(double: number): Json {
  if (!Number.isInteger(double) || Number.isSafeInteger(double)) return double === 0 ? 0 : double;
  const text = String(double);
  // -2^63 is printed as -9223372036854776000, which has more than 64 bits.
  return /e/.test(text) || !isInt64(BigInt(text)) ? double : BigInt(text);
}

function isRefused(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return false;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

describe('integers of 64 bits', () => {
  test('any value is the same after printing and parsing', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(parseExactJson(printExactJson(value))).toEqual(value);
      }),
    );
  });

  test('any text that was printed is printed the same again', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = printExactJson(value);
        expect(printExactJson(parseExactJson(text))).toBe(text);
      }),
    );
  });

  test('where no integer is large, both are JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.constantFrom(0, 2),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(parseExactJson(text, () => false)).toEqual(JSON.parse(text));
          expect(printExactJson(value as Json)).toBe(JSON.stringify(value));
        },
      ),
    );
  });

  test('any text that JSON.parse refuses is refused', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '9007199254740993',
      ' ',
      'a',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        expect(isRefused(parseExactJson, text)).toBe(isRefused(JSON.parse, text));
      }),
    );
  });

  test.each<readonly [text: string, value: Json]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 9223372036854775808],
    ['-9223372036854775809', -9223372036854775808],
    ['18446744073709551615', 18446744073709551616],
    ['1.0', 1],
    ['9007199254740993.0', 9007199254740992],
    ['9007199254740993e0', 9007199254740992],
    ['1e18', 1e18],
    ['{"9007199254740993":"9007199254740993"}', { '9007199254740993': '9007199254740993' }],
    ['["\\"9007199254740993",9007199254740993]', ['"9007199254740993', 9007199254740993n]],
    ['{"a":9007199254740993,"a":1}', { a: 1 }],
    ['{"a":1,"a":9007199254740993}', { a: 9007199254740993n }],
  ])('%s', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  test('is found wherever it is in a text', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.bigInt(2n ** 53n, 2n ** 63n - 1n), (a, b, integer) => {
        const [before, after] = ['x'.repeat(a), 'y'.repeat(b)];
        const text = `["${before}",${integer},"${after}"]`;
        expect(parseExactJson(text)).toEqual([before, integer, after]);
      }),
    );
  });

  test('lines are indented as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4), (value, indent) => {
        const wanted = JSON.stringify([12345, value], null, indent).replace(
          '12345',
          `${2n ** 60n}`,
        );
        expect(printExactJson([2n ** 60n, value], indent)).toBe(wanted);
      }),
    );
  });

  test('-2^63 as a double stays one', () => {
    const double = -(2 ** 63);
    expect(canonical(double)).toBe(double);
    expect(parseExactJson(printExactJson(double))).toBe(double);
  });

  test('a field called __proto__ is a field', () => {
    const value = parseExactJson('{"__proto__":9007199254740993}');
    expect(isJsonObject(value) && Object.entries(value)).toEqual([
      ['__proto__', 9007199254740993n],
    ]);
    expect(printExactJson(value)).toBe('{"__proto__":9007199254740993}');
  });

  test.each(['1e999', '-1e309', `[${'9'.repeat(400)}]`])('%s is refused: no double', (text) => {
    expect(() => checkDoubles(text)).toThrow(RangeError);
  });

  test.each(['1e308', '[1.7976931348623157e308]', '"1e999"', `[${'9'.repeat(300)}]`])(
    '%s is a double',
    (text) => expect(() => checkDoubles(text)).not.toThrow(),
  );

  test('undefined is left out of objects, and null in lists, as by JSON.stringify', () => {
    const value = { a: undefined, b: [undefined, 2n ** 60n] } as unknown as Json;
    expect(printExactJson(value)).toBe('{"b":[null,1152921504606846976]}');
  });

  test('a value that contains itself is refused', () => {
    const value: Record<string, Json> = {};
    value['self'] = value;
    expect(() => printExactJson(value)).toThrow('Maximum call stack');
  });

  test('digits of any number are read in linear time', () => {
    const text = `[${'1'.repeat(300)}${'0'.repeat(5)},"${'9'.repeat(1_000_000)}"]`;
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });
});
