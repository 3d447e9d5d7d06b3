import { expect, test } from 'vitest';
import { expandNames, splitWords } from './command-line.ts';

test('blanks separate words', () => {
  expect(splitWords('  get  pods -o wide ')).toEqual(['get', 'pods', '-o', 'wide']);
});

test('quotes keep blanks and other quotes, even in the middle of a word', () => {
  expect(splitWords(`patch pod x -p '{"a": 1}' --x="it's"`)).toEqual([
    'patch',
    'pod',
    'x',
    '-p',
    '{"a": 1}',
    "--x=it's",
  ]);
});

test('an empty word is a word', () => {
  expect(splitWords("a '' b")).toEqual(['a', '', 'b']);
});

test('a name is replaced by what was saved, and an unknown one is an error', () => {
  const known = new Map([['OWNER', '123']]);
  expect(expandNames('uid: $OWNER.', known)).toBe('uid: 123.');
  expect(expandNames('$.spec and $lower', known)).toBe('$.spec and $lower');
  expect(() => expandNames('$UNKNOWN', known)).toThrow('no earlier step saved $UNKNOWN');
});
