import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../test/support/deep-freeze.ts';
import { structOf } from './schema/schema.ts';
import { carryUnknownFields } from './unknown-fields.ts';

const TYPE = structOf('core/v1.PodStatus');

function carry(base: object, next: object): object {
  return carryUnknownFields<object>(deepFreeze(base), deepFreeze(next), TYPE);
}

describe('fields that this version does not know', () => {
  test('are carried over', () => {
    expect(carry({ phase: 'Running', mood: { good: true } }, { phase: 'Failed' })).toEqual({
      phase: 'Failed',
      mood: { good: true },
    });
  });

  test('even if they are empty: what empty means there is unknown', () => {
    expect(carry({ mood: null, tags: [] }, {})).toEqual({ mood: null, tags: [] });
  });

  test('are not carried over if the next one has them', () => {
    const next = { mood: 'bad' };
    expect(carry({ mood: 'good' }, next)).toBe(next);
  });
});

test('a known field that is gone was removed on purpose', () => {
  const next = { phase: 'Running' };
  expect(carry({ phase: 'Running', message: 'starting' }, next)).toBe(next);
});

test('without unknown fields nothing is copied', () => {
  const next = { phase: 'Running' };
  expect(carry({ phase: 'Pending' }, next)).toBe(next);
});

test('__proto__ and constructor are plain names of fields', () => {
  const base = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "toString": 2}') as object;
  const carried = carry(base, { phase: 'Running' });
  expect(Object.keys(carried).toSorted()).toEqual([
    '__proto__',
    'constructor',
    'phase',
    'toString',
  ]);
  expect(Object.getPrototypeOf(carried)).toBe(Object.prototype);
  expect(JSON.parse(JSON.stringify(carried))).toEqual({
    ...(JSON.parse(JSON.stringify(base)) as object),
    phase: 'Running',
  });
});
