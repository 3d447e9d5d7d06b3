import { expect, test } from 'vitest';
import { assert, InvariantError, unreachable } from './assert.ts';
import { PodkeepError } from './errors.ts';

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('what is true passes in silence', () => {
  expect(failureOf(() => assert(true, 'never said'))).toBeUndefined();
});

test('what is false throws an InvariantError with the sentence given', () => {
  const error = failureOf(() => assert(false, 'sync settled while stop ran'));
  expect(error).toBeInstanceOf(InvariantError);
  expect(error).toMatchObject({ name: 'InvariantError', message: 'sync settled while stop ran' });
});

test('our own mistakes are not mistakes of the world', () => {
  expect(failureOf(() => assert(false, 'x'))).not.toBeInstanceOf(PodkeepError);
});

test('a case that cannot be names the value that was there after all', () => {
  const surprise = { type: 'woke' } as unknown as never;
  expect(() => unreachable(surprise)).toThrow(InvariantError);
  expect(() => unreachable(surprise)).toThrow('unexpected {"type":"woke"}');
});
