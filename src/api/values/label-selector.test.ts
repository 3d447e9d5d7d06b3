import { describe, expect, test } from 'vitest';
import { EVERYTHING, matchesLabels, NOTHING, selectorFromObject } from './label-selector.ts';
import type { LabelOperator, LabelSelector, LabelSelectorObject } from './label-selector.ts';

const only = (operator: LabelOperator, ...values: string[]): LabelSelector => [
  { key: 'tier', operator, values },
];

const expression = (operator: string, values: string[]): LabelSelectorObject => ({
  matchExpressions: [{ key: 'a', operator, values }],
});

const invalid = (reason: string): unknown =>
  expect.objectContaining({ code: 'SELECTOR_INVALID', message: expect.stringContaining(reason) });

describe('matching (L-1)', () => {
  test('equality and lists need the label', () => {
    for (const operator of ['=', '==', 'in'] as const) {
      expect(matchesLabels(only(operator, 'front'), { tier: 'front' })).toBe(true);
      expect(matchesLabels(only(operator, 'front'), { tier: 'back' })).toBe(false);
      expect(matchesLabels(only(operator, ''), {})).toBe(false);
      expect(matchesLabels(only(operator, ''), { tier: '' })).toBe(true);
    }
  });

  test('inequality and exclusion also match when the label is absent', () => {
    for (const operator of ['!=', 'notin'] as const) {
      expect(matchesLabels(only(operator, 'front'), {})).toBe(true);
      expect(matchesLabels(only(operator, 'front'), { tier: 'back' })).toBe(true);
      expect(matchesLabels(only(operator, 'front'), { tier: 'front' })).toBe(false);
      expect(matchesLabels(only(operator, ''), { tier: '' })).toBe(false);
    }
  });

  test('existence asks for the key alone', () => {
    expect(matchesLabels(only('exists'), { tier: '' })).toBe(true);
    expect(matchesLabels(only('exists'), {})).toBe(false);
    expect(matchesLabels(only('!'), {})).toBe(true);
    expect(matchesLabels(only('!'), { tier: '' })).toBe(false);
  });

  test('more and less compare integers, and a label that is none never matches', () => {
    expect(matchesLabels(only('gt', '5'), { tier: '6' })).toBe(true);
    expect(matchesLabels(only('gt', '5'), { tier: '5' })).toBe(false);
    expect(matchesLabels(only('lt', '5'), { tier: '-4' })).toBe(true);
    expect(matchesLabels(only('lt', '10'), { tier: '007' })).toBe(true);
    for (const tier of ['', 'a', '4.5', '1e0', '9223372036854775808', ' 4']) {
      expect(matchesLabels(only('lt', '5'), { tier })).toBe(false);
      expect(matchesLabels(only('gt', '5'), { tier })).toBe(false);
    }
    expect(matchesLabels(only('lt', '5'), {})).toBe(false);
  });

  test('integers are exact to the last of 64 bits', () => {
    const labels = { tier: '9223372036854775807' };
    expect(matchesLabels(only('gt', '9223372036854775806'), labels)).toBe(true);
    expect(matchesLabels(only('gt', '9223372036854775807'), labels)).toBe(false);
  });

  test('all requirements must hold', () => {
    const selector = [...only('exists'), ...only('!=', 'back')];
    expect(matchesLabels(selector, { tier: 'front' })).toBe(true);
    expect(matchesLabels(selector, { tier: 'back' })).toBe(false);
    expect(matchesLabels([...selector, ...NOTHING], { tier: 'front' })).toBe(false);
  });

  test('an object without labels has none, not even those of the prototype', () => {
    expect(matchesLabels(only('!'), undefined)).toBe(true);
    expect(matchesLabels(only('exists'), null)).toBe(false);
    const inherited: LabelSelector = [{ key: 'constructor', operator: 'exists', values: [] }];
    expect(matchesLabels(inherited, {})).toBe(false);
    expect(matchesLabels(inherited, { constructor: 'x' })).toBe(true);
  });
});

describe('selectors of API objects', () => {
  test('none selects nothing and an empty one everything', () => {
    for (const absent of [null, undefined]) {
      expect(selectorFromObject(absent)).toBe(NOTHING);
    }
    expect(matchesLabels(NOTHING, {})).toBe(false);
    expect(matchesLabels(NOTHING, { '': '' })).toBe(false);
    expect(selectorFromObject({})).toEqual(EVERYTHING);
    expect(selectorFromObject({ matchLabels: null, matchExpressions: [] })).toEqual(EVERYTHING);
    expect(matchesLabels(EVERYTHING, {})).toBe(true);
  });

  test('labels and expressions become one list, in the order of their keys', () => {
    const selector = selectorFromObject({
      matchLabels: { zone: 'a', app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front', 'back'] },
        { key: 'legacy', operator: 'DoesNotExist' },
        { key: 'owner', operator: 'Exists', values: null },
        { key: 'stage', operator: 'NotIn', values: ['test'] },
      ],
    });
    expect(selector).toEqual([
      { key: 'app', operator: '=', values: ['web'] },
      { key: 'legacy', operator: '!', values: [] },
      { key: 'owner', operator: 'exists', values: [] },
      { key: 'stage', operator: 'notin', values: ['test'] },
      { key: 'tier', operator: 'in', values: ['front', 'back'] },
      { key: 'zone', operator: '=', values: ['a'] },
    ]);
  });

  test('an operator that Kubernetes does not know here is refused', () => {
    for (const operator of ['in', 'Gt', '=', 'constructor', '']) {
      const object = { matchExpressions: [{ key: 'a', operator, values: ['1'] }] };
      expect(() => selectorFromObject(object)).toThrow(
        invalid(`"${operator}" is not a valid label selector operator`),
      );
    }
  });

  test('lists need values, existence has none', () => {
    expect(() => selectorFromObject(expression('In', []))).toThrow(invalid("can't be empty"));
    expect(() => selectorFromObject(expression('NotIn', []))).toThrow(invalid("can't be empty"));
    expect(() => selectorFromObject(expression('Exists', ['x']))).toThrow(
      invalid('values: Invalid value: ["x"]: values set must be empty'),
    );
  });

  test('every bad key and value is named', () => {
    const object = {
      matchExpressions: [{ key: '-a', operator: 'In', values: ['ok', 'b!', 'c '] }],
    };
    expect(() => selectorFromObject(object)).toThrow(invalid('[key: Invalid value: "-a": name'));
    expect(() => selectorFromObject(object)).toThrow(invalid('values[1][-a]: Invalid value: "b!"'));
    expect(() => selectorFromObject(object)).toThrow(invalid('values[2][-a]: Invalid value: "c "'));
    expect(() => selectorFromObject({ matchLabels: { a: '-' } })).toThrow(invalid('values[0][a]'));
  });
});
