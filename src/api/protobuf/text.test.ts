import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText } from './text.ts';

const decode = (...bytes: number[]): string => decodeText(Uint8Array.from(bytes), 0, bytes.length);

describe('text', () => {
  test('a part of the bytes is read, and no more', () => {
    const bytes = new TextEncoder().encode('before|text|after');
    expect(decodeText(bytes, 7, 11)).toBe('text');
    expect(decodeText(bytes, 7, 7)).toBe('');
  });

  test('a byte order mark is a character of the text', () => {
    expect(decode(0xef, 0xbb, 0xbf, 0x61)).toBe('\uFEFFa');
  });

  test('a replacement character that was sent is kept', () => {
    expect(decode(0x61, 0xef, 0xbf, 0xbd, 0x62)).toBe('a\uFFFDb');
  });

  test('valid text reads as it was written, short or long', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = new TextEncoder().encode(text);
        expect(decodeText(bytes, 0, bytes.length)).toBe(text);
      }),
    );
  });
});

describe('bytes that are no text', () => {
  test('each of them is one replacement character, as Go prints it', () => {
    expect(decode(0xff)).toBe('\uFFFD');
    expect(decode(0xe2, 0x82)).toBe('\uFFFD\uFFFD');
    expect(decode(0x61, 0xe2, 0x82, 0x62)).toBe('a\uFFFD\uFFFDb');
    expect(decode(0xf0, 0x9f, 0x99, 0x82, 0x80)).toBe('\u{1F642}\uFFFD');
  });

  test('surrogates, overlong forms and what lies beyond Unicode are none', () => {
    expect(decode(0xed, 0xa0, 0x80)).toBe('\uFFFD'.repeat(3));
    expect(decode(0xc0, 0xaf)).toBe('\uFFFD'.repeat(2));
    expect(decode(0xe0, 0x9f, 0xbf)).toBe('\uFFFD'.repeat(3));
    expect(decode(0xf0, 0x8f, 0xbf, 0xbf)).toBe('\uFFFD'.repeat(4));
    expect(decode(0xf4, 0x90, 0x80, 0x80)).toBe('\uFFFD'.repeat(4));
  });

  test('the whole text around them stays', () => {
    const broken = [0xc3, 0x28];
    const text = new TextEncoder().encode('日本語'.repeat(20));
    expect(decode(...text, ...broken, ...text)).toBe(
      `${'日本語'.repeat(20)}\uFFFD(${'日本語'.repeat(20)}`,
    );
  });

  test('any bytes become the same characters as a TextDecoder finds, and no fewer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = decodeText(bytes, 0, bytes.length);
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        expect(text.replaceAll('\uFFFD', '')).toBe(whole.replaceAll('\uFFFD', ''));
        expect(text.length).toBeGreaterThanOrEqual(whole.length);
      }),
    );
  });
});
