import { expect, test } from 'vitest';
import { goTypeOf, printGo } from './go-text.ts';

test('values are printed as Go prints them, keys sorted', () => {
  expect(printGo({ b: [1, true, null], a: { c: 'x y' } })).toBe(
    'map[a:map[c:x y] b:[1 true <nil>]]',
  );
  expect(printGo([])).toBe('[]');
});

test('types have the names that Go gives to decoded JSON', () => {
  expect([null, true, 1, 1.5, 'x', [], {}].map(goTypeOf)).toEqual([
    '<nil>',
    'bool',
    'int64',
    'float64',
    'string',
    '[]interface {}',
    'map[string]interface {}',
  ]);
});

test('long and deep values are cut short', () => {
  expect(printGo('x'.repeat(5000))).toHaveLength(1003);
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as [];
  expect(printGo(deep)).toMatch(/^\[+\.\.\.\]+$/);
});
