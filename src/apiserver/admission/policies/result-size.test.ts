import { expect, test } from 'vitest';
import { ListValue, type CelValue } from '../../../cel/cel.ts';
import { checkResultSize } from './result-size.ts';

test('a list of lists is counted by its parts', () => {
  const value = new ListValue([new ListValue([1n, 2n]), 'text']);
  expect(() => checkResultSize(value, 5)).not.toThrow();
  expect(() => checkResultSize(value, 4)).toThrow('the result has more than 4 parts');
});

test('a value that doubles sixty times is refused', () => {
  let value: CelValue = 'x';
  for (let level = 0; level < 60; level += 1) value = new ListValue([value, value]);
  expect(() => checkResultSize(value)).toThrow('the result has more than 200000 parts');
});
