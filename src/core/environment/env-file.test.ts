import { describe, expect, test } from 'vitest';
import { readEnvFile } from './env-file.ts';

const FILE = [
  '# a comment',
  '',
  "  A='one'",
  "B='two  # not a comment'   # but this is",
  "C='first",
  'second = third',
  "last'",
  "D= 'ignored'",
  "E=''",
  "F='six'",
].join('\n');

describe('a file of variables', () => {
  test.each([
    ['A', 'one'],
    ['B', 'two  # not a comment'],
    ['C', 'first\nsecond = third\nlast'],
    ['D', ''],
    ['E', ''],
    ['F', 'six'],
    ['G', ''],
  ])('%s has the value %j', (key, value) => {
    expect(readEnvFile(FILE, key)).toBe(value);
  });

  test('lines may end as on Windows', () => {
    expect(readEnvFile("A='x'\r\nB='y'\r\n", 'B')).toBe('y');
  });

  test.each([
    ['A', "at line 1: missing '='"],
    ["='x'", 'at line 1: empty variable name'],
    ["A ='x'", "at line 1: whitespace before '=' is not allowed"],
    ['A=x', 'at line 1: value must be enclosed in single quotes'],
    ['A=', 'at line 1: value must be enclosed in single quotes'],
    ["A='x' y", 'at line 1: unexpected content after closing quote'],
    ["\nA='x\ny' z", 'at line 3: unexpected content after closing quote'],
    ["\nA='x\ny", 'starting at line 2: unclosed single quote'],
  ])('%j is a mistake', (text, words) => {
    expect(() => readEnvFile(text, 'Z')).toThrow(`invalid environment variable format ${words}`);
  });

  test('errors after the variable do not matter', () => {
    expect(readEnvFile("A='x'\nnonsense", 'A')).toBe('x');
  });
});
