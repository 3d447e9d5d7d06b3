import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
  withField,
  withFieldOf,
  withoutField,
} from './json-changes.ts';

describe('a change without effect returns the same object', () => {
  const object = deepFreeze({ a: { b: 1 }, list: [{ c: 1 }, 'text'], zero: 0 });

  test.each([
    ['a field with its value', () => withField(object, 'zero', 0)],
    ['a field that is not there, taken away', () => withoutField(object, 'x')],
    ['a field of another object that is the same', () => withFieldOf(object, 'zero', { zero: 0 })],
    ['a pointer that is set to zero', () => fillAbsent(object, { zero: 5 })],
    ['a change of a part that changes nothing', () => changeObject(object, 'a', (part) => part)],
    ['a change of a part that is no object', () => changeObject(object, 'zero', () => ({}))],
    ['a change of items that changes none', () => changeObjects(object, 'list', (item) => item)],
  ])('%s', (_name, change) => {
    expect(change()).toBe(object);
  });
});

test('zero counts as unset where Go holds a plain value', () => {
  expect(fillEmpty({ a: 0, b: '', c: null }, { a: 1, b: 'x', c: 2, d: 3 })).toEqual({
    a: 1,
    b: 'x',
    c: 2,
    d: 3,
  });
  expect(fillAbsent({ a: 0, b: '', c: null }, { a: 1, b: 'x', c: 2 })).toEqual({
    a: 0,
    b: '',
    c: 2,
  });
});

test('items that are not objects stay where they are', () => {
  const changed = changeObjects({ list: ['x', { a: 1 }] }, 'list', (item) => ({ ...item, b: 2 }));
  expect(changed).toEqual({ list: ['x', { a: 1, b: 2 }] });
});

test('the absence of a field is copied too', () => {
  expect(withFieldOf({ a: 1, b: 2 }, 'a', {})).toEqual({ b: 2 });
  expect(withFieldOf({ b: 2 }, 'a', { a: null })).toEqual({ a: null, b: 2 });
});

test('a key called __proto__ is an ordinary key', () => {
  const object = JSON.parse('{"__proto__":{"x":1},"a":1}');
  expect(Object.keys(withoutField(object, 'a'))).toEqual(['__proto__']);
  expect(JSON.stringify(withField(object, 'a', 2))).toBe('{"__proto__":{"x":1},"a":2}');
});
