import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResourceList } from '../resources.ts';
import { addAmounts, amountsOf, maxAmounts, resourceListOf } from './resource-amounts.ts';

function sum(a: ResourceList | undefined, b: ResourceList | undefined): ResourceList {
  return resourceListOf(addAmounts(amountsOf(a), amountsOf(b)));
}

function larger(a: ResourceList, b: ResourceList): ResourceList {
  return resourceListOf(maxAmounts(amountsOf(a), amountsOf(b)));
}

describe('sums', () => {
  test('each name is added up separately, and exactly', () => {
    expect(sum({ cpu: '100m', memory: '1Gi' }, { cpu: '0.2', memory: '512Mi' })).toEqual({
      cpu: '300m',
      memory: '1536Mi',
    });
  });

  test('a name that only one side has is kept', () => {
    expect(sum({ cpu: '1' }, { 'example.com/gpu': '2' })).toEqual({
      cpu: '1',
      'example.com/gpu': '2',
    });
  });

  test('nothing plus something is that, and a zero stays a zero', () => {
    expect(sum(undefined, { cpu: '1' })).toEqual({ cpu: '1' });
    expect(sum({ cpu: '1' }, undefined)).toEqual({ cpu: '1' });
    expect(sum({ cpu: '0' }, { cpu: '0' })).toEqual({ cpu: '0' });
  });
});

describe('maxima', () => {
  test('are taken name by name', () => {
    expect(larger({ cpu: '100m', memory: '2Gi' }, { cpu: '1', memory: '1Gi' })).toEqual({
      cpu: '1',
      memory: '2Gi',
    });
  });

  test('of equal amounts the first spelling stays', () => {
    expect(larger({ memory: '1Gi' }, { memory: '1073741824' })).toEqual({ memory: '1Gi' });
  });

  test('a name that only one side has is kept', () => {
    expect(larger({ cpu: '1' }, { memory: '1Gi' })).toEqual({ cpu: '1', memory: '1Gi' });
  });
});

test('numbers stand for their text, and __proto__ and constructor are names like any other', () => {
  const list = JSON.parse('{"__proto__": 1, "constructor": "2", "cpu": 3}') as ResourceList;
  expect(Object.entries(sum(list, list))).toEqual([
    ['__proto__', '2'],
    ['constructor', '4'],
    ['cpu', '6'],
  ]);
});

test('sums and maxima do not depend on the order', () => {
  const lists = fc.dictionary(fc.constantFrom('cpu', 'memory', 'x'), fc.nat(5).map(String));
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      expect(sum(a, b)).toEqual(sum(b, a));
      expect(larger(a, b)).toEqual(larger(b, a));
    }),
  );
});
