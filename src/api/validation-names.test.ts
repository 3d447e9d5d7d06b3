import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelKey,
  isLabelValue,
} from './validation-names.ts';

describe('DNS labels', () => {
  test('lower case, digits and inner dashes are fine', () => {
    for (const name of ['a', '0', 'a-b', 'a--1', '1-a', 'a'.repeat(63)]) {
      expect(checkDns1123Label(name)).toEqual([]);
    }
  });

  test('everything else is not', () => {
    const names = ['', 'A', '-', 'a-', '-a', 'a_b', 'a b', 'é', 'a\n', '.', 'a.', 'a'.repeat(64)];
    for (const name of names) expect(isDns1123Label(name)).toBe(false);
  });

  test('the error quotes examples and the rule', () => {
    expect(checkDns1123Label('Web')).toEqual([
      'a lowercase RFC 1123 label must consist of lower case alphanumeric characters or ' +
        "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or " +
        "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  test('a good domain name in the place of a label has too many dots', () => {
    expect(checkDns1123Label('a.b')).toEqual(['must not contain dots']);
  });

  test('a name that is too long and badly formed gets both errors', () => {
    expect(checkDns1123Label(`${'a'.repeat(64)}.b`)).toEqual([
      'must be no more than 63 characters',
      'must not contain dots',
    ]);
  });
});

describe('DNS subdomains', () => {
  test('labels joined by single dots are fine, up to 253 characters', () => {
    for (const name of ['a', 'a.b', 'a-1.2', 'example.com', 'a'.repeat(253)]) {
      expect(checkDns1123Subdomain(name)).toEqual([]);
    }
  });

  test('a dot needs a letter or digit on both sides', () => {
    for (const name of ['', '.', 'a.', '.a', 'a..b', 'a-.b', 'a.-b', 'A.b', 'a_b.c']) {
      expect(isDns1123Subdomain(name)).toBe(false);
    }
    expect(checkDns1123Subdomain('a'.repeat(254))).toEqual(['must be no more than 253 characters']);
  });
});

describe('label keys', () => {
  test('a name, or a domain, a slash and a name', () => {
    for (const key of ['app', 'App.v_1-x', 'example.com/role', '1/1', `a/${'x'.repeat(63)}`]) {
      expect(checkLabelKey(key)).toEqual([]);
    }
  });

  test('each part is named in its errors', () => {
    expect(checkLabelKey('/x')).toEqual(['prefix part must be non-empty']);
    expect(checkLabelKey('')).toEqual([
      'name part must be non-empty',
      expect.stringMatching(/^name part must consist of/),
    ]);
    expect(checkLabelKey(`A_/${'x'.repeat(64)}`)).toEqual([
      expect.stringMatching(/^prefix part a lowercase RFC 1123 subdomain/),
      'name part must be no more than 63 bytes',
    ]);
    expect(checkLabelKey(`${'a'.repeat(254)}/x`)).toEqual([
      'prefix part must be no more than 253 bytes',
    ]);
  });

  test('two slashes get one error about the whole', () => {
    const problems = checkLabelKey('a/b/c');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^a valid label key must consist of.*'example\.com\/MyName'\)$/);
  });

  test('names of the prototype are names like others, if their letters are', () => {
    expect(isLabelKey('constructor')).toBe(true);
    expect(isLabelKey('__proto__')).toBe(false);
  });
});

describe('label values', () => {
  test('empty, or letters and digits with dashes, dots and underscores inside', () => {
    for (const value of ['', 'a', 'A_b-1.c', '0', 'x'.repeat(63)]) {
      expect(checkLabelValue(value)).toEqual([]);
    }
    for (const value of ['-', 'a-', '.a', 'a b', 'a/b', 'bad!', 'é', ' ']) {
      expect(isLabelValue(value)).toBe(false);
    }
  });

  test('length is measured in bytes', () => {
    expect(checkLabelValue('é'.repeat(32))[0]).toBe('must be no more than 63 bytes');
    expect(checkLabelValue('é'.repeat(31))).toHaveLength(1);
  });
});

/** The forms that the errors quote, used as they stand. */
const FORMS = {
  label: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  subdomain: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  value: /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/,
};

test('searching for a fault gives the same result as the quoted forms', () => {
  const name = fc.string({ unit: fc.constantFrom(...'aZ0-._/ \n'.split('')), maxLength: 8 });
  fc.assert(
    fc.property(name, (text) => {
      expect(isDns1123Label(text)).toBe(FORMS.label.test(text));
      expect(isDns1123Subdomain(text)).toBe(FORMS.subdomain.test(text));
      expect(isLabelValue(text)).toBe(FORMS.value.test(text));
    }),
    { numRuns: 3000 },
  );
});

test('a megabyte of dashes is refused in one pass', () => {
  const dashes = `a${'-'.repeat(1_000_000)}`;
  expect(checkDns1123Label(dashes)).toHaveLength(2);
  expect(checkDns1123Subdomain(dashes.repeat(2))).toHaveLength(2);
  expect(checkLabelKey(dashes)).toHaveLength(2);
  expect(checkLabelValue(dashes)).toHaveLength(2);
});
