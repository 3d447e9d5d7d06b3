import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExactJson } from './exact-json.ts';

test('integers that a double cannot hold are exact', () => {
  const text = '{"a": 18446744073709551615, "b": [9007199254740993, -9007199254740993], "c": 7}';
  expect(parseExactJson(text)).toEqual({
    a: 18446744073709551615n,
    b: [9007199254740993n, -9007199254740993n],
    c: 7,
  });
});

test('digits in strings stay strings', () => {
  const value = { '1234567890123456789': ['"1234567890123456789', '\\', '1234567890123456789'] };
  expect(parseExactJson(JSON.stringify(value))).toEqual(value);
});

test.each([
  '{1234567890123456789: 1}',
  '[01234567890123456789]',
  '[1234567890123456789a]',
  String.raw`["\u00001"]`,
])('%s is refused', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('everything else is as JSON.parse has it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!text.includes(String.raw`\u0000`) && !/\d{16}/.test(text));
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});
