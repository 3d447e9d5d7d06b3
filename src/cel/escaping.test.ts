import { expect, test } from 'vitest';
import { escapeName, unescapeName } from './escaping.ts';

test.each([
  ['a', 'a'],
  ['a-b', 'a__dash__b'],
  ['a.b/c', 'a__dot__b__slash__c'],
  ['a__b', 'a__underscores__b'],
  ['namespace', '__namespace__'],
  ['namespaces', 'namespaces'],
])('the field %s is written %s', (name, escaped) => {
  expect(escapeName(name)).toBe(escaped);
  expect(unescapeName(escaped)).toBe(name);
});

test('a field that is no identifier even when escaped cannot be named', () => {
  expect(escapeName('1a')).toBeUndefined();
  expect(escapeName('a b')).toBeUndefined();
  expect(escapeName('')).toBeUndefined();
});
