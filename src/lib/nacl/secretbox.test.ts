import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { poly1305 } from './poly1305.ts';
import { openSecretbox, sealSecretbox } from './secretbox.ts';

function hex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
}

/** As `scripts/secretbox/main.go` fills its inputs. */
function fill(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) =>
    seed === 255 ? 255 : seed * 31 + at * 7 + Math.floor(at / 256),
  );
}

const VECTORS = readFileSync(
  new URL('../../../test/support/secretbox.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { length: number; seed: number; box: string });

describe('secretbox', () => {
  test("seals and opens the message of NaCl's own test", () => {
    const key = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
    const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
    const message = hex(`
      be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129
      6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
      048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
    const box = hex(`
      f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
      c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
      90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
      e355a5`);
    expect(Buffer.from(sealSecretbox(message, nonce, key))).toEqual(Buffer.from(box));
    expect(Buffer.from(openSecretbox(box, nonce, key) ?? [])).toEqual(Buffer.from(message));
  });

  test('makes the boxes that golang.org/x/crypto/nacl/secretbox makes', () => {
    expect(VECTORS.length).toBeGreaterThan(50);
    for (const { length, seed, box } of VECTORS) {
      const [key, nonce, message] = [fill(32, seed), fill(24, seed), fill(length, seed)];
      expect(Buffer.from(sealSecretbox(message, nonce, key)).toString('hex')).toBe(box);
      expect(openSecretbox(hex(box), nonce, key)).toEqual(message);
    }
  });

  test('a box with one changed bit, another nonce or another key does not open', () => {
    const [key, nonce, message] = [fill(32, 1), fill(24, 1), fill(40, 1)];
    const box = sealSecretbox(message, nonce, key);
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Uint8Array.from(box);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openSecretbox(changed, nonce, key)).toBeNull();
    }
    expect(openSecretbox(box, fill(24, 2), key)).toBeNull();
    expect(openSecretbox(box, nonce, fill(32, 2))).toBeNull();
    expect(openSecretbox(box.subarray(0, 15), nonce, key)).toBeNull();
  });
});

describe('Poly1305', () => {
  test.each([
    [
      'the example of RFC 8439',
      '85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b',
      Buffer.from('Cryptographic Forum Research Group').toString('hex'),
      'a8061dc1305136c6c22b8baf0c0127a9',
    ],
    // RFC 8439, appendix A.3: sums at the edge of the prime.
    ['a sum of 2^130 - 6', '02' + '00'.repeat(31), 'ff'.repeat(16), '03' + '00'.repeat(15)],
    [
      'a carry in the last addition',
      '02' + '00'.repeat(15) + 'ff'.repeat(16),
      '02' + '00'.repeat(15),
      '03' + '00'.repeat(15),
    ],
    [
      'the prime itself',
      '01' + '00'.repeat(31),
      'ff'.repeat(16) + 'f0' + 'ff'.repeat(15) + '11' + '00'.repeat(15),
      '05' + '00'.repeat(15),
    ],
    [
      '2^130 - 5 - 1',
      '01' + '00'.repeat(31),
      'ff'.repeat(16) + 'fb' + 'fe'.repeat(15) + '01'.repeat(16),
      '00'.repeat(16),
    ],
    ['2^129 and more', '02' + '00'.repeat(31), 'fd' + 'ff'.repeat(15), 'fa' + 'ff'.repeat(15)],
  ])('authenticates %s', (_, key, message, tag) => {
    expect(Buffer.from(poly1305(hex(key), hex(message))).toString('hex')).toBe(tag);
  });
});
