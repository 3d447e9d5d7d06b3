import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeJsonFault } from './json-fault.ts';

test.each([
  ['', 'unexpected end of JSON input'],
  ['{"data":[', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['{]', "invalid character ']' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  [String.raw`"\q"`, "invalid character 'q' in string escape code"],
  ['"\n"', String.raw`invalid character '\n' in string literal`],
  ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
  ['ä', "invalid character 'Ã' looking for beginning of value"],
])('Go reports %j as: %s', (text, sentence) => {
  expect(describeJsonFault(text)).toBe(sentence);
});

test('any prefix of JSON ends unexpectedly, or is JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const part = text.slice(0, at % (text.length + 1));
      expect(describeJsonFault(part)).toBe('unexpected end of JSON input');
    }),
  );
});
