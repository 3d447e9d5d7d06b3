import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../platform/seeded-random.ts';
import {
  isInRange,
  NODE_PORTS,
  pickFree,
  printIpv4,
  readIpv4,
  SERVICE_ADDRESSES,
} from './service-addresses-range.ts';

test('an address converts to a number and back', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      expect(printIpv4(readIpv4(text))).toBe(text);
    }),
  );
  expect(readIpv4('::1')).toBeNaN();
});

test('the range excludes its first and its last address', () => {
  const isOurs = (text: string): boolean => isInRange(SERVICE_ADDRESSES, readIpv4(text));
  expect(['10.96.0.0', '10.111.255.255', '10.95.255.255', '10.112.0.0'].map(isOurs)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(['10.96.0.1', '10.111.255.254'].map(isOurs)).toEqual([true, true]);
});

const range = { first: 10, last: 29, lowCount: 5 };

test('every number is given out once, the low ones last, and then none is left', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const taken: number[] = [];
      for (;;) {
        const number = pickFree(range, random, (one) => !taken.includes(one));
        if (number === undefined) break;
        taken.push(number);
      }
      expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 10));
      expect(taken.slice(0, 15).every((number) => number >= 15)).toBe(true);
    }),
  );
});

test('the last free number is found wherever it is', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 30_000, max: 32_767 }), (seed, last) => {
      expect(pickFree(NODE_PORTS, seededRandom(seed), (one) => one === last)).toBe(last);
    }),
  );
});
