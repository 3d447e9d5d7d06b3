import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, readJson } from './json-text.ts';
import { isTextTooDeep, isValueTooDeep, NestingError } from './nesting.ts';

test('any JSON is read as JSON.parse reads it, without duplicates', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 1);
      fc.pre(!/\d{16}/.test(text));
      expect(readJson(text)).toEqual({ value: JSON.parse(text), duplicates: [] });
    }),
  );
});

test('duplicate fields are named once, by their path', () => {
  const text = '{ "a": 1, "b": [{"c":1}, {"c":1,"c":[2],"c":{}}], "\\u0061": 3, "d": {"a":1} }';
  expect(readJson(text)).toEqual({
    value: { a: 3, b: [{ c: 1 }, { c: {} }], d: { a: 1 } },
    duplicates: ['b[1].c', 'a'],
  });
});

test('no more than a hundred are named', () => {
  const fields = Array.from({ length: 300 }, (_, index) => `"k${index}":1,"k${index}":2`);
  expect(readJson(`{${fields.join(',')}}`).duplicates).toHaveLength(100);
});

test('an integer of 64 bits is exact, and a number beyond all doubles is refused', () => {
  expect(readJson('{"a": [1, {"b": 1234567890123456789}]}').value).toEqual({
    a: [1, { b: 1234567890123456789n }],
  });
  expect(() => readJson('{"a": 1e999}')).toThrow('cannot unmarshal number 1e999');
});

test('depth is counted outside of strings, and refused before anything recurses', () => {
  const nested = (levels: number): string => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
  expect(parseJson(nested(250))).toBeDefined();
  expect(() => parseJson(nested(251))).toThrow(NestingError);
  expect(() => parseJson(nested(4999))).toThrow(NestingError);
  expect(() => parseJson(nested(5001))).toThrow('exceeded max depth');
  expect(() => parseJson('['.repeat(5000))).toThrow('unexpected end of JSON input');
  expect(isTextTooDeep(`{"a":"${String.raw`[{\"`.repeat(2000)}"}`)).toBe(false);
});

test('a value is as deep as its text', () => {
  fc.assert(
    fc.property(fc.nat({ max: 600 }), (levels) => {
      const text = `${'['.repeat(levels)}1${']'.repeat(levels)}`;
      expect(isValueTooDeep(JSON.parse(text))).toBe(isTextTooDeep(text));
    }),
  );
});
