import { expect, test } from 'vitest';
import { cutWarnings, warningHeader } from './warnings.ts';

const lengths = (texts: readonly string[]): readonly number[] =>
  texts.map((text) => Array.from(text).length);

test('warnings within the limit are sent unchanged, each once', () => {
  expect(cutWarnings(['a', 'b', 'a', ''])).toEqual(['a', 'b']);
  const long = ['x'.repeat(4000), 'y'.repeat(96)];
  expect(cutWarnings(long)).toEqual(long);
});

test('one character more, and each is cut to 256', () => {
  expect(lengths(cutWarnings(['x'.repeat(4000), 'y'.repeat(97), 'z']))).toEqual([256, 97, 1]);
});

test('no more cut sentences are sent after 4,096 characters of them', () => {
  const many = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(1000, 'x'));
  expect(lengths(cutWarnings(many))).toEqual(Array.from({ length: 16 }, () => 256));
});

test('a character is never cut in two', () => {
  const [first] = cutWarnings(['😀'.repeat(5000)]);
  expect(first).toBe('😀'.repeat(256));
});

test('a header holds bytes, and a text with control characters is left out', () => {
  const header = warningHeader('a "b" \\ é漢') ?? '';
  expect(Buffer.from(header, 'latin1').toString()).toBe(String.raw`299 - "a \"b\" \\ é漢"`);
  expect(() => new Headers([['warning', header]])).not.toThrow();
  expect(['\n', '\u007f', '\u0085'].map(warningHeader)).toEqual([null, null, null]);
});
