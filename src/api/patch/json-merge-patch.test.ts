import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../lib/json.ts';
import { applyJsonMergePatch, createJsonMergePatch } from './json-merge-patch.ts';

function parse(text: string): Json {
  const value: Json = JSON.parse(text);
  return frozen(value);
}

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])('RFC 7386: %s patched with %s is %s', (target, patch, result) => {
  expect(applyJsonMergePatch(parse(target), parse(patch))).toEqual(parse(result));
});

test('nulls inside a list are values, not orders', () => {
  const patch = parse('{"a":[null,{"b":null}]}');
  expect(applyJsonMergePatch({}, patch)).toEqual({ a: [null, { b: null }] });
});

test('a patch that changes nothing returns the same value', () => {
  const target = parse('{"a":{"b":[1,{"c":2}]},"d":"e"}');
  for (const patch of ['{}', '{"d":"e"}', '{"a":{"b":[1,{"c":2}]}}', '{"x":null}', '{"a":{}}']) {
    expect(applyJsonMergePatch(target, parse(patch))).toBe(target);
  }
});

test('what the patch leaves alone is shared', () => {
  const target = { kept: frozen({ deep: [1] }), changed: frozen({ a: 1 }) };
  const result = applyJsonMergePatch(frozen(target), { changed: { b: 2 } });
  expect(result).toEqual({ kept: { deep: [1] }, changed: { a: 1, b: 2 } });
  expect(isJsonObject(result) && result['kept']).toBe(target.kept);
});

test('the patch from one value to another makes the other of the one', () => {
  // The format cannot say that an object's field is null.
  const value = fc
    .jsonValue({ maxDepth: 3 })
    .map((json) => withoutNulls(parse(JSON.stringify(json))));
  fc.assert(
    fc.property(value, value, (original, modified) => {
      const patch = frozen(createJsonMergePatch(frozen(original), frozen(modified)));
      expect(applyJsonMergePatch(original, patch)).toEqual(modified);
    }),
  );
});

test('between equal objects the patch is empty, and shared parts are not looked into', () => {
  const trap = new Proxy<Record<string, Json>>(
    {},
    {
      ownKeys: () => {
        throw new Error('looked into a shared part');
      },
    },
  );
  expect(createJsonMergePatch({ a: trap, b: { c: 1 } }, { a: trap, b: { c: 1 } })).toEqual({});
  expect(createJsonMergePatch({ a: trap, b: { c: 1 } }, { a: trap, b: {} })).toEqual({
    b: { c: null },
  });
});

test('__proto__ is a key like any other, in patches made and applied', () => {
  const evil = parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}');
  const result = applyJsonMergePatch(parse('{}'), evil);
  expect(JSON.stringify(result)).toBe(JSON.stringify(evil));
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect({}).not.toHaveProperty('polluted');
  expect(JSON.stringify(createJsonMergePatch({}, evil))).toBe(JSON.stringify(evil));
  expect(applyJsonMergePatch(evil, parse('{"__proto__":null}'))).toEqual({ constructor: { a: 1 } });
});

test('a patch nested beyond reason is refused, not a stack overflow', () => {
  expect(() => applyJsonMergePatch({}, deep('1'))).toThrow(/exceeded max depth/);
  expect(() => createJsonMergePatch(deep('1'), deep('2'))).toThrow(/exceeded max depth/);
});

function deep(end: string): Json {
  return JSON.parse('{"a":'.repeat(100_000) + end + '}'.repeat(100_000)) as Json;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field)]));
}
