import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgument, quoteArguments } from './shell-quoting.ts';

const CHARACTERS = Array.from(` '"$\`\\*?[]{}()<>|&;#~!=-\n\tazAZ09éß😀`);

test('plain words are not quoted', () => {
  expect(quoteArguments(['/usr/bin/env', '--wd=/x', 'A=1'])).toBe('/usr/bin/env --wd=/x A=1');
});

test('other words are quoted', () => {
  expect(quoteArgument('')).toBe("''");
  expect(quoteArgument("it's")).toBe(`'it'\\''s'`);
});

test('a shell reads back exactly what was quoted', () => {
  const anyCharacter = fc.constantFrom(...CHARACTERS);
  const anyWord = fc.string({ unit: anyCharacter, maxLength: 20 });
  const anyWords = fc.array(anyWord, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(anyWords, (args) => {
      const script = `for word in ${quoteArguments(args)}; do printf '%s\\0' "$word"; done`;
      const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(args);
    }),
    { numRuns: 3 },
  );
});
