import { expect, test } from 'vitest';
import { ObjectDraft } from './object-draft.ts';

test('a draft that changed nothing is the original itself', () => {
  const original = Object.freeze({ a: 1, b: 'x' });
  const draft = new ObjectDraft(original);
  draft.set('a', 1);
  draft.set('none', undefined);
  expect(draft.finish()).toBe(original);
});

test('the original is copied before the first change, and once', () => {
  const original = Object.freeze({ a: 1, b: 2 });
  const draft = new ObjectDraft(original);
  draft.set('a', 3);
  const copy = draft.finish();
  draft.set('b', undefined);
  draft.set('c', 4);
  expect(draft.finish()).toBe(copy);
  expect(copy).toEqual({ a: 3, c: 4 });
  expect(draft.keys()).toEqual(['a', 'c']);
  expect(original).toEqual({ a: 1, b: 2 });
});

test('inherited properties are not there, and __proto__ is a key', () => {
  const draft = new ObjectDraft({});
  expect(draft.get('constructor')).toBeUndefined();
  expect(draft.get('__proto__')).toBeUndefined();
  draft.set('__proto__', { a: 1 });
  expect(draft.get('__proto__')).toEqual({ a: 1 });
  expect(JSON.stringify(draft.finish())).toBe('{"__proto__":{"a":1}}');
  draft.set('__proto__', undefined);
  expect(draft.finish()).toEqual({});
});
