import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fnv1a32 } from './fnv.ts';

const encoder = new TextEncoder();

test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['b', 0xe70c2de5],
  ['foobar', 0xbf9cf968],
  // The sign bit is set and stays a part of the number.
  ['chongo was here!\n', 0xd49930d5],
])('the published hash of %j is %d', (text, hash) => {
  expect(fnv1a32(encoder.encode(text))).toBe(hash);
});

test('the hash is that of exact arithmetic', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      let hash = 0x811c9dc5n;
      for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x01000193n) % 2n ** 32n;
      expect(fnv1a32(bytes)).toBe(Number(hash));
    }),
  );
});
