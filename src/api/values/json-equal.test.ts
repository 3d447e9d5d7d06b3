import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../lib/json.ts';
import { jsonEqual } from './json-equal.ts';

function parse(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

test('a value equals its copy, whatever it is', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonEqual(parse(text), parse(text))).toBe(true);
    }),
  );
});

test('two values are equal exactly when they are written the same, keys sorted', () => {
  const small = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(small, small, (left, right) => {
      const [a, b] = [parse(JSON.stringify(left)), parse(JSON.stringify(right))];
      expect(jsonEqual(a, b)).toBe(canonical(a) === canonical(b));
    }),
  );
});

test('the order of keys does not matter, the order of elements does', () => {
  expect(jsonEqual({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(jsonEqual([1, 2], [2, 1])).toBe(false);
});

test('a list is not an object, null is not an empty object, and one is not "1"', () => {
  expect(jsonEqual([], {})).toBe(false);
  expect(jsonEqual({}, [])).toBe(false);
  expect(jsonEqual(null, {})).toBe(false);
  expect(jsonEqual({ a: null }, {})).toBe(false);
  expect(jsonEqual(1, '1')).toBe(false);
});

test('keys of the prototype are keys like any other', () => {
  expect(jsonEqual(parse('{"constructor":1}'), parse('{"toString":1}'))).toBe(false);
  expect(jsonEqual(parse('{"__proto__":{"a":1}}'), parse('{"__proto__":{"a":1}}'))).toBe(true);
  expect(jsonEqual(parse('{"__proto__":{"a":1}}'), parse('{"__proto__":{"a":2}}'))).toBe(false);
  expect(jsonEqual(parse('{"__proto__":{}}'), parse('{"a":{}}'))).toBe(false);
});

test('values nested deeper than any stack are compared nevertheless', () => {
  const [deep, same, other] = ['1', '1', '2'].map((end) =>
    parse('['.repeat(200_000) + end + ']'.repeat(200_000)),
  );
  expect(jsonEqual(deep ?? null, same ?? null)).toBe(true);
  expect(jsonEqual(deep ?? null, other ?? null)).toBe(false);
});

test('what both sides share is not looked into', () => {
  const shared = new Proxy<Record<string, Json>>(
    {},
    {
      ownKeys: () => {
        throw new Error('looked into a shared part');
      },
    },
  );
  expect(jsonEqual({ a: shared, b: [1] }, { a: shared, b: [1] })).toBe(true);
});

function canonical(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
