import { expect, test } from 'vitest';
import { Uint } from '../../../cel/cel.ts';
import { MutationError } from './policy-errors.ts';
import { jsonOf } from './result-json.ts';

test('integers keep every digit', () => {
  expect(jsonOf(5n)).toBe(5);
  expect(jsonOf(new Uint(5n))).toBe(5);
  expect(jsonOf(2n ** 53n + 1n)).toBe(2n ** 53n + 1n);
  expect(jsonOf(new Uint(2n ** 63n - 1n))).toBe(2n ** 63n - 1n);
});

test('an unsigned integer beyond those with a sign has no JSON', () => {
  expect(() => jsonOf(new Uint(2n ** 63n))).toThrow(MutationError);
});
