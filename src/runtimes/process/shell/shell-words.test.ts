import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteWord, quoteWords } from './shell-words.ts';

const CHARACTERS = Array.from(` '"$\`\\*?[]{}()<>|&;#~!=-\n\tazAZ09éß😀`);

test('what needs no quotes has none', () => {
  expect(quoteWords(['/usr/bin/env', '--wd=/x', 'A=1'])).toBe('/usr/bin/env --wd=/x A=1');
});

test('what does has', () => {
  expect(quoteWord('')).toBe("''");
  expect(quoteWord("it's")).toBe(`'it'\\''s'`);
});

test('a shell reads back exactly what was quoted', () => {
  const anyCharacter = fc.constantFrom(...CHARACTERS);
  const anyWord = fc.string({ unit: anyCharacter, maxLength: 20 });
  const anyWords = fc.array(anyWord, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(anyWords, (words) => {
      const script = `for word in ${quoteWords(words)}; do printf '%s\\0' "$word"; done`;
      const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 3 },
  );
});
