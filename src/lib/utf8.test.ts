import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutToBytes } from './utf8.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');

/** One character of each length in UTF-8, by name. */
const CHARACTERS = [
  ['one byte', 'a', 1],
  ['two bytes', 'é', 2],
  ['three bytes', '日', 3],
  ['four bytes', '😀', 4],
] as const;

describe('V-5: a text is cut at the last whole character within its bytes', () => {
  test('one that fits stays as it is', () => {
    expect(cutToBytes('', 0)).toBe('');
    expect(cutToBytes('abc', 3)).toBe('abc');
    expect(cutToBytes('日本', 6)).toBe('日本');
    expect(cutToBytes('😀😀', 8)).toBe('😀😀');
  });

  test('nothing fits into zero bytes', () => {
    for (const [, character] of CHARACTERS) expect(cutToBytes(character, 0)).toBe('');
  });

  test.each(CHARACTERS)(
    'a character of %s is taken whole or not at all',
    (_name, character, size) => {
      const text = character.repeat(4);
      for (let bytesMax = 0; bytesMax <= 4 * size + 1; bytesMax++) {
        const fitting = Math.min(4, Math.floor(bytesMax / size));
        expect(cutToBytes(text, bytesMax), `${bytesMax} bytes`).toBe(character.repeat(fitting));
      }
    },
  );

  test('mixed characters are cut at every boundary, and only there', () => {
    // The bytes end at 1, 3, 6, 10 and 11.
    const text = 'aé日😀b';
    const cuts = ['', 'a', 'a', 'aé', 'aé', 'aé', 'aé日', 'aé日', 'aé日', 'aé日', 'aé日😀', text];
    for (const [bytesMax, cut] of cuts.entries()) {
      expect(cutToBytes(text, bytesMax), `${bytesMax} bytes`).toBe(cut);
    }
  });

  test.each([
    ['\u007F', 1],
    ['\u0080', 2],
    ['\u07FF', 2],
    ['\u0800', 3],
    ['\uFFFF', 3],
    ['\u{10000}', 4],
    ['\u{10FFFF}', 4],
  ])(
    'the first and the last character of each length are measured right: %j',
    (character, size) => {
      expect(bytesOf(character)).toBe(size);
      expect(cutToBytes(`${character}${character}`, 2 * size)).toBe(`${character}${character}`);
      expect(cutToBytes(`${character}${character}`, 2 * size - 1)).toBe(character);
      expect(cutToBytes(`${character}b`, size)).toBe(character);
    },
  );

  test('half a character counts as the three bytes it becomes on the wire', () => {
    const half = '\uD83D';
    expect(bytesOf(half)).toBe(3);
    expect(cutToBytes(`a${half}`, 3)).toBe('a');
    expect(cutToBytes(`a${half}`, 4)).toBe(`a${half}`);
    expect(cutToBytes(`${half}${half}`, 3)).toBe(half);
  });

  test('SM-36: bytes are counted, not UTF-16 units', () => {
    expect(cutToBytes('日'.repeat(4096), 4096)).toHaveLength(1365);
    expect(bytesOf(cutToBytes('日'.repeat(4096), 4096))).toBe(4095);
  });
});

describe('whatever the text', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

  test('the head fits, it is a head, and one more character would not fit', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, bytesMax) => {
        const head = cutToBytes(text, bytesMax);
        expect(bytesOf(head)).toBeLessThanOrEqual(bytesMax);
        expect(text.startsWith(head)).toBe(true);
        const [next = 'x'.repeat(bytesMax + 1)] = text.slice(head.length);
        expect(bytesOf(head + next)).toBeGreaterThan(bytesMax);
      }),
    );
  });

  test('cutting again changes nothing, and the wire gives it back as it was', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, bytesMax) => {
        const head = cutToBytes(text, bytesMax);
        expect(cutToBytes(head, bytesMax)).toBe(head);
        expect(Buffer.from(head, 'utf8').toString('utf8')).toBe(head);
      }),
    );
  });
});
