import { expect, test } from 'vitest';
import { quoteAsGo } from './go-quote.ts';

test.each([
  ['plain text', '"plain text"'],
  ['say "hi" \\', String.raw`"say \"hi\" \\"`],
  ['\u0007\b\f\n\r\t\v', String.raw`"\a\b\f\n\r\t\v"`],
  ['\u0000\u001f\u007f', String.raw`"\x00\x1f\x7f"`],
  ['é € 世 😀', '"é € 世 😀"'],
  ['\u00a0\u0085\u200b\ufeff', String.raw`"\u00a0\u0085\u200b\ufeff"`],
  ['\u{e0001}', String.raw`"\U000e0001"`],
  ['\ud800', '"\uFFFD"'],
])('%j is quoted as %s', (text, expected) => {
  expect(quoteAsGo(text)).toBe(expected);
});
