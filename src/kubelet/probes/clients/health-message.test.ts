import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { healthCheckRequest, healthStatusIn } from './health-message.ts';

test('a request names its service, if it has one', () => {
  expect([...healthCheckRequest('')]).toEqual([0, 0, 0, 0, 0]);
  expect([...healthCheckRequest('ab')]).toEqual([0, 0, 0, 0, 4, 0x0a, 2, 97, 98]);
});

test('a long name has its length in two bytes', () => {
  const frame = healthCheckRequest('x'.repeat(300));
  expect([...frame.subarray(0, 8)]).toEqual([0, 0, 0, 1, 0x2f, 0x0a, 0xac, 2]);
});

test.each<[string, readonly number[], string | null]>([
  ['an empty message', [0, 0, 0, 0, 0], 'UNKNOWN'],
  ['1', [0, 0, 0, 0, 2, 8, 1], 'SERVING'],
  ['2', [0, 0, 0, 0, 2, 8, 2], 'NOT_SERVING'],
  ['3', [0, 0, 0, 0, 2, 8, 3], 'SERVICE_UNKNOWN'],
  ['a number without a name', [0, 0, 0, 0, 3, 8, 0xac, 2], '300'],
  ['fields that nobody knows', [0, 0, 0, 0, 8, 0x12, 2, 8, 2, 0x18, 5, 8, 1], 'SERVING'],
  ['half a frame', [0, 0, 0, 0, 2, 8], null],
  ['nothing', [], null],
])('a status is read from %s', (_case, bytes, expected) => {
  expect(healthStatusIn(Uint8Array.from(bytes))).toBe(expected);
});

test('any bytes can be read to their end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const status = healthStatusIn(bytes);
      expect(status === null || typeof status === 'string').toBe(true);
    }),
  );
});
