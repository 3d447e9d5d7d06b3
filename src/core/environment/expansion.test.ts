import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expand, valuesFrom } from './expansion.ts';

const values = valuesFrom(
  new Map([
    ['A', 'a'],
    ['EMPTY', ''],
    ['REF', '$(A)'],
  ]),
  new Map([
    ['A', 'hidden'],
    ['B', 'b'],
  ]),
);

describe('references to variables', () => {
  test.each([
    ['plain', 'plain'],
    ['$(A)', 'a'],
    ['x$(A)y$(B)z', 'xaybz'],
    ['$(EMPTY)', ''],
    ['$(NOBODY)', '$(NOBODY)'],
    ['$(__proto__) $(constructor)', '$(__proto__) $(constructor)'],
    ['$$', '$'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$a'],
    ['$$$$(A)', '$$(A)'],
    ['$(A', '$(A'],
    ['$A', '$A'],
    ['$', '$'],
    ['a$', 'a$'],
    ['$()', '$()'],
    ['$($(A))', '$($(A))'],
    ['$(REF)', '$(A)'],
    ['$(A)$', 'a$'],
    ['€$(A)€', '€a€'],
  ])('%j becomes %j', (text, expected) => {
    expect(expand(text, values)).toBe(expected);
  });

  test('an escaped text is restored', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = text.replaceAll('$', '$$$$');
        expect(expand(escaped, () => 'never')).toBe(text);
      }),
    );
  });

  test('without dollars nothing is looked up and nothing changes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('$', '');
        expect(expand(plain, () => 'never')).toBe(plain);
      }),
    );
  });

  test('a value is never expanded again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, value) => {
        const text = `${before.replaceAll('$', '')}$(V)`;
        expect(expand(text, () => value)).toBe(before.replaceAll('$', '') + value);
      }),
    );
  });

  test('a long text of openers takes no long time', () => {
    const text = '$('.repeat(200_000);
    expect(expand(text, () => 'x')).toBe(text);
  });
});
