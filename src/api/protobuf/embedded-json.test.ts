import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json } from '../../lib/json.ts';
import { formatEmbeddedJson, parseEmbeddedJson } from './embedded-json.ts';

const parse = (text: string): unknown => parseEmbeddedJson(new TextEncoder().encode(text));
const tooLarge = expect.objectContaining({ code: 'PROTOBUF_INTEGER_TOO_LARGE' });
const tooDeep = expect.objectContaining({ code: 'PROTOBUF_TOO_DEEP' });

function answerOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof PodkeepError ? 'too large' : undefined;
  }
}

describe('JSON inside protobuf', () => {
  test('any JSON that was written reads back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = formatEmbeddedJson(value as Json);
        // Integers beyond the safe ones are read as bigint, which JSON.parse does not do.
        fc.pre(!/\d{16}/.test(text));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('any text gives its value, nothing, or our error', () => {
    const unit = fc.constantFrom(...'{}[]",:\\ 0123456789-+.eEtruefalsn'.split(''));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const value = answerOf(() => JSON.parse(text));
        expect([value, 'too large']).toContainEqual(answerOf(() => parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['', '{', '{"a":}', 'nul', '\u0000', 'k8s', "{'a':1}"])('%j is no JSON', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  test('keys of the prototype are plain keys', () => {
    const value = parse('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  });
});

describe('numbers that JavaScript cannot hold', () => {
  test.each(['1e400', '-1E+999', '{"text":"\\"","n":1e999}'])('%s is refused', (text) => {
    expect(() => parse(text)).toThrow(tooLarge);
  });

  test('the refusal names the number', () => {
    expect(() => parse('{"id":7e999}')).toThrow('7e999');
  });

  test('integers of 64 bits are exact', () => {
    expect(parse('{"id":[9007199254740993,-9223372036854775808]}')).toEqual({
      id: [9007199254740993n, -9223372036854775808n],
    });
  });

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '123456789012345670000',
    '0.1234567890123456789',
    '1.5e300',
    '1e-999',
    '"12345678901234567890"',
    '{"12345678901234567890":"1e999"}',
    '"\\\\\\"9007199254740993"',
  ])('%s is not', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });
});

describe('depth', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  test('nesting that is too deep is refused', () => {
    expect(() => parse(nested(1001))).toThrow(tooDeep);
    expect(() => parse(nested(1_000_000))).toThrow(tooDeep);
    expect(parse(nested(1000))).toBeDefined();
  });

  test('brackets in a text do not nest', () => {
    expect(parse(JSON.stringify('['.repeat(5000)))).toBe('['.repeat(5000));
  });

  test('a value too deep to be written is refused', () => {
    const nestedValue = (depth: number): Json => {
      let value: Json = [];
      for (let level = 1; level < depth; level++) value = [value];
      return value;
    };
    expect(() => formatEmbeddedJson(nestedValue(100_000))).toThrow(tooDeep);
    // What is written can be read again.
    expect(() => formatEmbeddedJson(nestedValue(1001))).toThrow(tooDeep);
    expect(formatEmbeddedJson(nestedValue(1000))).toBe(nested(1000));
    expect(formatEmbeddedJson('['.repeat(5000))).toBe(`"${'['.repeat(5000)}"`);
  });
});
