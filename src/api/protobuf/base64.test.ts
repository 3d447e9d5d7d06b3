import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';

describe('base64', () => {
  test('the padding fills the last four letters', () => {
    const encode = (text: string): string => encodeBase64(new TextEncoder().encode(text));
    expect(['', 'f', 'fo', 'foo', 'foob'].map(encode)).toEqual([
      '',
      'Zg==',
      'Zm8=',
      'Zm9v',
      'Zm9vYg==',
    ]);
  });

  test('it is what the platform writes, and reads back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  test('line breaks are no part of it, wherever they stand', () => {
    expect(decodeBase64('Zm\n9v\r\nYg=\n=\n')).toEqual(new TextEncoder().encode('foob'));
  });

  test.each(['Zg', 'Zg=', 'Zg===', '=', '====', 'Z=g=', 'Zm9v=', 'Zm 9v', 'Zm9-', 'Zm9_', 'Zéé='])(
    '%s is not base64',
    (text) => {
      expect(decodeBase64(text)).toBeUndefined();
    },
  );

  test('bits beyond the last byte do not matter, as they do not to Go', () => {
    expect(decodeBase64('Zh==')).toEqual(new TextEncoder().encode('f'));
  });
});
