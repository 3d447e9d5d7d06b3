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

test('a true condition passes', () => {
  expect(failureOf(() => assert(true, 'never said'))).toBeUndefined();
});

test('a false condition throws an InvariantError with the given message', () => {
  const error = failureOf(() => assert(false, 'sync settled while stop ran'));
  expect(error).toBeInstanceOf(InvariantError);
  expect(error).toMatchObject({ name: 'InvariantError', message: 'sync settled while stop ran' });
});

test('an InvariantError is no PodkeepError', () => {
  expect(failureOf(() => assert(false, 'x'))).not.toBeInstanceOf(PodkeepError);
});

test('an impossible case names the value', () => {
  const surprise = { type: 'woke' } as unknown as never;
  expect(() => unreachable(surprise)).toThrow(InvariantError);
  expect(() => unreachable(surprise)).toThrow('unexpected {"type":"woke"}');
});
