import { describe, expect, test } from 'vitest';
import {
  checkConfigKey,
  checkEnvName,
  checkHeaderName,
  checkId,
  checkPortName,
  checkPortNumber,
  checkSearchDomain,
} from './names.ts';

describe('ports', () => {
  test('have numbers from 1 to 65535', () => {
    for (const good of [1, 80, 65_535]) expect(checkPortNumber(good)).toEqual([]);
    for (const bad of [0, -1, 65_536]) {
      expect(checkPortNumber(bad)).toEqual(['must be between 1 and 65535, inclusive']);
    }
  });

  test('have short names of lower case letters, digits and single hyphens', () => {
    for (const good of ['http', '8080-tcp', 'a']) expect(checkPortName(good)).toEqual([]);
    expect(checkPortName('-8-')).toEqual([
      'must contain at least one letter (a-z)',
      'must not begin or end with a hyphen',
    ]);
    expect(checkPortName('a--b')).toEqual(['must not contain consecutive hyphens']);
    expect(checkPortName('X')).toHaveLength(2);
    expect(checkPortName('a'.repeat(16))).toEqual(['must be no more than 15 characters']);
  });
});

test('environment variables may have nearly any name', () => {
  for (const good of ['A', '1 2', 'a.b-c', '~']) expect(checkEnvName(good)).toEqual([]);
  for (const bad of ['A=B', 'é', 'a\n', '']) expect(checkEnvName(bad)).toHaveLength(1);
});

test('keys are file names that stay in their folder', () => {
  for (const good of ['a', 'a.b_C-1', '.hidden']) expect(checkConfigKey(good)).toEqual([]);
  expect(checkConfigKey('.')).toEqual(["must not be '.'"]);
  expect(checkConfigKey('..')).toEqual(["must not be '..'"]);
  expect(checkConfigKey('..a')).toEqual(["must not start with '..'"]);
  expect(checkConfigKey('a/b')).toHaveLength(1);
  expect(checkConfigKey('a'.repeat(254))).toEqual(['must be no more than 253 characters']);
});

test('search domains may have underscores, other domains may not', () => {
  for (const good of ['a', '_tcp.example.com', 'a_b.c'])
    expect(checkSearchDomain(good)).toEqual([]);
  for (const bad of ['', 'a..b', 'A', 'a-']) expect(checkSearchDomain(bad)).toHaveLength(1);
});

test('headers and users', () => {
  expect(checkHeaderName('X-Header-1')).toEqual([]);
  expect(checkHeaderName('a b')).toHaveLength(1);
  expect(checkId(0)).toEqual([]);
  expect(checkId(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
});
