import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import type { Json } from '../../lib/json.ts';
import { applyJsonPatch } from './json-patch.ts';

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

function apply(document: Json, ...operations: Json[]): Json {
  return applyJsonPatch(frozen(document), frozen(operations));
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof PodkeepError) return error.code;
    throw error;
  }
  return 'none';
}

test('add puts a field in, and an element before the one that stands there (RFC 6902 A.1, A.2)', () => {
  expect(apply({ foo: 'bar' }, { op: 'add', path: '/baz', value: 'qux' })).toEqual({
    baz: 'qux',
    foo: 'bar',
  });
  expect(apply({ foo: ['bar', 'baz'] }, { op: 'add', path: '/foo/1', value: 'qux' })).toEqual({
    foo: ['bar', 'qux', 'baz'],
  });
  expect(apply({ foo: ['bar'] }, { op: 'add', path: '/foo/-', value: ['x'] })).toEqual({
    foo: ['bar', ['x']],
  });
});

test('remove takes a field or an element away (A.3, A.4)', () => {
  expect(apply({ baz: 'qux', foo: 'bar' }, { op: 'remove', path: '/baz' })).toEqual({ foo: 'bar' });
  expect(apply({ foo: ['a', 'b', 'c'] }, { op: 'remove', path: '/foo/1' })).toEqual({
    foo: ['a', 'c'],
  });
});

test('replace and move (A.5, A.6, A.7)', () => {
  expect(apply({ baz: 'qux' }, { op: 'replace', path: '/baz', value: 'boo' })).toEqual({
    baz: 'boo',
  });
  expect(
    apply(
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      { op: 'move', from: '/foo/waldo', path: '/qux/thud' },
    ),
  ).toEqual({ foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } });
  expect(
    apply({ foo: ['all', 'grass', 'cows', 'eat'] }, { op: 'move', from: '/foo/1', path: '/foo/3' }),
  ).toEqual({ foo: ['all', 'cows', 'eat', 'grass'] });
});

test('a test that holds changes nothing, one that fails ends the patch (A.8, A.9)', () => {
  const document = { baz: 'qux', foo: ['a', 2, 'c'], n: null };
  const holds = [
    { op: 'test', path: '/baz', value: 'qux' },
    { op: 'test', path: '/foo/1', value: 2 },
    { op: 'test', path: '/n', value: null },
    { op: 'test', path: '', value: { foo: ['a', 2, 'c'], n: null, baz: 'qux' } },
  ];
  expect(apply(document, ...holds)).toBe(document);
  const fails = (value: Json): string =>
    codeOf(() => apply(document, { op: 'test', path: '/baz', value }));
  expect(fails('bar')).toBe('JSON_PATCH_TEST_FAILED');
  expect(fails(null)).toBe('JSON_PATCH_TEST_FAILED');
  expect(fails(['qux'])).toBe('JSON_PATCH_TEST_FAILED');
});

test('escaped keys, empty keys and the whole document can be named (A.14)', () => {
  expect(apply({ '/': 9, '~1': 10, '': 1 }, { op: 'test', path: '/~01', value: 10 })).toEqual({
    '/': 9,
    '~1': 10,
    '': 1,
  });
  expect(apply({ a: { b: 1 } }, { op: 'replace', path: '', value: [1] })).toEqual([1]);
  expect(apply({ a: { b: 1 } }, { op: 'copy', from: '/a', path: '' })).toEqual({ b: 1 });
  expect(apply({ a: 1 }, { op: 'add', path: '/', value: 2 })).toEqual({ a: 1, '': 2 });
});

test('a missing path is distinguished from a failed test', () => {
  const document = { a: { b: 'text' }, list: ['x'], none: null };
  const missing: Json[] = [
    { op: 'add', path: '/x/y', value: 1 },
    { op: 'add', path: '/a/b/c', value: 1 },
    { op: 'add', path: '/none/c', value: 1 },
    { op: 'add', path: '/list/2', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'add', path: '/list/01', value: 1 },
    { op: 'remove', path: '/x' },
    { op: 'remove', path: '/list/1' },
    { op: 'remove', path: '/list/-' },
    { op: 'remove', path: '' },
    { op: 'replace', path: '/x/y', value: 1 },
    { op: 'replace', path: '/list/1', value: 1 },
    { op: 'move', from: '/x', path: '/y' },
    { op: 'move', from: '/list', path: '/x/y' },
    { op: 'copy', from: '/x', path: '/y' },
    { op: 'copy', from: '/a', path: '/x/y' },
    { op: 'test', path: '/x/y', value: null },
    { op: 'test', path: '/list/1', value: null },
  ];
  for (const operation of missing) {
    expect(codeOf(() => apply(document, operation))).toBe('JSON_PATCH_PATH_MISSING');
  }
  expect(() => apply(document, { op: 'add', path: '/x/y', value: 1 })).toThrow(
    'add operation does not apply: doc is missing path: "/x/y": missing value',
  );
});

test('what Kubernetes allows beyond the standard is allowed', () => {
  expect(apply({ a: {} }, { op: 'replace', path: '/a/new', value: 1 })).toEqual({ a: { new: 1 } });
  expect(apply({ a: 1 }, { op: 'test', path: '/b', value: null })).toEqual({ a: 1 });
  expect(apply({ l: [1, 2, 3] }, { op: 'remove', path: '/l/-1' })).toEqual({ l: [1, 2] });
  expect(apply({ l: [1, 2] }, { op: 'add', path: '/l/-1', value: 3 })).toEqual({ l: [1, 2, 3] });
  expect(codeOf(() => apply({ l: [1] }, { op: 'remove', path: '/l/-2' }))).toBe(
    'JSON_PATCH_PATH_MISSING',
  );
});

test('anything that is no JSON patch is a malformed document', () => {
  const noPatches: Json[] = [
    null,
    1,
    'add',
    {},
    { op: 'add', path: '/a', value: 1 },
    [null],
    [[]],
    ['add'],
    [{}],
    [{ op: 'append', path: '/a', value: 1 }],
    [{ op: 5, path: '/a', value: 1 }],
    [{ op: 'constructor', path: '/a' }],
    [{ op: 'add', value: 1 }],
    [{ op: 'add', path: 5, value: 1 }],
    [{ op: 'add', path: 'a', value: 1 }],
    [{ op: 'add', path: '/a~2', value: 1 }],
    [{ op: 'add', path: '/a' }],
    [{ op: 'test', path: '/a' }],
    [{ op: 'copy', path: '/a' }],
    [{ op: 'move', path: '/a/b', from: '/a' }],
  ];
  for (const patch of noPatches) {
    expect(codeOf(() => applyJsonPatch(frozen({ a: { b: 1 } }), patch))).toBe(
      'JSON_PATCH_MALFORMED',
    );
  }
});

test('a patch that fails at its end has changed nothing', () => {
  const document = frozen({ a: [1, 2] });
  const patch = [
    { op: 'add', path: '/a/0', value: 0 },
    { op: 'remove', path: '/b' },
  ];
  expect(() => applyJsonPatch(document, patch)).toThrow('doc is missing path: "/b"');
  expect(document).toEqual({ a: [1, 2] });
});

test('unchanged parts are shared, and a patch without changes returns the same document', () => {
  const document = frozen({ a: { x: 1 }, b: { y: [1] } });
  expect(applyJsonPatch(document, [])).toBe(document);
  expect(apply(document, { op: 'replace', path: '/b', value: { y: [1] } })).toBe(document);
  const result = apply(document, { op: 'add', path: '/a/z', value: 2 });
  expect(result).toEqual({ a: { x: 1, z: 2 }, b: { y: [1] } });
  expect(result).toHaveProperty('b', document.b);
  expect((result as typeof document).b).toBe(document.b);
});

test('a copy and its source change independently', () => {
  expect(
    apply(
      { a: { list: [1] } },
      { op: 'add', path: '/a/list/-', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/list/-', value: 3 },
      { op: 'remove', path: '/a/list/0' },
    ),
  ).toEqual({ a: { list: [2] }, b: { list: [1, 2, 3] } });
});

test('the values of a patch are never written into', () => {
  const add = { op: 'add', path: '/a', value: { list: [1] } };
  const patch = [add, { op: 'add', path: '/a/list/-', value: 2 }];
  expect(apply({}, ...patch)).toEqual({ a: { list: [1, 2] } });
  expect(add.value).toEqual({ list: [1] });
});

test('__proto__ is a key like any other', () => {
  const patch: Json = JSON.parse(
    '[{"op":"add","path":"/__proto__","value":{"polluted":true}},' +
      '{"op":"add","path":"/__proto__/more","value":1}]',
  );
  const result = applyJsonPatch({}, patch);
  expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true,"more":1}}');
  expect({}).not.toHaveProperty('polluted');
  expect(codeOf(() => apply({}, { op: 'add', path: '/__proto__/polluted', value: 1 }))).toBe(
    'JSON_PATCH_PATH_MISSING',
  );
  expect(codeOf(() => apply([], { op: 'add', path: '/length/x', value: 1 }))).toBe(
    'JSON_PATCH_PATH_MISSING',
  );
});

test('copies of copies are stopped before they fill the memory', () => {
  const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '', path: '/copy' }));
  const document = { text: 'x'.repeat(1000), copy: null };
  expect(codeOf(() => applyJsonPatch(document, doubling))).toBe('none');
  const branching = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
  expect(codeOf(() => applyJsonPatch({ a: ['some text'] }, branching))).toBe(
    'JSON_PATCH_TOO_LARGE',
  );
});

test('more than ten thousand operations are too many, ten thousand on one list are quick', () => {
  const adds = Array.from({ length: 10_000 }, (_, index) => ({
    op: 'add',
    path: '/a/-',
    value: index,
  }));
  expect(applyJsonPatch({ a: [] }, adds)).toEqual({ a: adds.map(({ value }) => value) });
  expect(() => applyJsonPatch({ a: [] }, [...adds, ...adds.slice(0, 1)])).toThrow(
    'The allowed maximum operations in a JSON patch is 10000, got 10001',
  );
});

test('any patch on any document is applied or refused with one of our codes', () => {
  const token = fc.constantFrom('a', 'b', '0', '1', '-', '-1', '__proto__', 'constructor', '');
  const path = fc
    .array(token, { maxLength: 4 })
    .map((tokens) => tokens.map((t) => `/${t}`).join(''));
  const leaf = fc.constantFrom<Json>(null, 1, 'x', {}, []);
  const value = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0'), leaf),
  );
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test');
  const operation = fc.record({ op, path, from: path, value });
  fc.assert(
    fc.property(value, fc.array(operation, { maxLength: 8 }), (document, patch) => {
      const before = JSON.stringify(document);
      const code = codeOf(() => applyJsonPatch(frozen(document), frozen(patch)));
      expect(code).toMatch(/^(none|JSON_PATCH_[A-Z_]+)$/);
      expect(JSON.stringify(document)).toBe(before);
    }),
  );
});
