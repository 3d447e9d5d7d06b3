import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { PodkeepError } from '../errors.ts';
import { bitString, boolean, integer, octetString, oid, sequence, setOf, time } from './der.ts';
import { childrenOf, readDer, readDerTime, readOid } from './der-reader.ts';

function outcomeOf(bytes: Uint8Array): string {
  try {
    childrenOf(readDer(bytes));
    return 'read';
  } catch (error) {
    return error instanceof PodkeepError ? error.code : String(error);
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('writing', () => {
  test('values are a tag, a length and their content', () => {
    expect(hex(boolean(true))).toBe('0101ff');
    expect(hex(bitString(Buffer.from([0xa0]), 5))).toBe('030205a0');
    expect(hex(sequence(boolean(false), octetString(Buffer.from('hi'))))).toBe(
      '300701010004026869',
    );
  });

  test('a number keeps no zeros in front, and gets one where it would look negative', () => {
    expect(hex(integer(Buffer.from([0, 0, 5])))).toBe('020105');
    expect(hex(integer(Buffer.from([0x80])))).toBe('02020080');
    expect(hex(integer(Buffer.from([0])))).toBe('020100');
  });

  test('object identifiers pack two numbers into one, and big ones into several bytes', () => {
    expect(hex(oid('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302');
    expect(hex(oid('2.5.29.17'))).toBe('0603551d11');
  });

  test('a set is in the order of its bytes', () => {
    const [a, b] = [octetString(Buffer.from([1])), octetString(Buffer.from([2]))];
    expect(setOf(b, a).equals(setOf(a, b))).toBe(true);
  });

  test('years have two digits up to 2049, and four from then on', () => {
    expect(time(Date.UTC(2049, 11, 31, 23, 59, 59)).toString('latin1')).toContain('491231235959Z');
    expect(time(Date.UTC(2050, 0, 1)).toString('latin1')).toContain('20500101000000Z');
  });
});

describe('reading', () => {
  test('what was written is read again, whatever its length', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (parts) => {
        const value = readDer(sequence(...parts.map(octetString)));
        expect(childrenOf(value).map(({ content }) => hex(content))).toEqual(parts.map(hex));
      }),
    );
  });

  test('object identifiers and times come back', () => {
    const numbers = fc.array(fc.nat({ max: 1e6 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(numbers, (rest) => {
        const dotted = ['2', '5', ...rest].join('.');
        expect(readOid(readDer(oid(dotted)))).toBe(dotted);
      }),
    );
    const seconds = fc.integer({ min: 0, max: Date.UTC(2200, 0) / 1000 });
    fc.assert(
      fc.property(seconds, (second) => {
        expect(readDerTime(readDer(time(second * 1000)))).toBe(second * 1000);
      }),
    );
  });

  test('bytes that lie about their length are refused', () => {
    for (const bytes of ['', '30', '3005', '300500', '308000', '3085000000000100', '0201050505']) {
      expect(() => readDer(Buffer.from(bytes, 'hex')), bytes).toThrow(
        expect.objectContaining({ code: 'DER_BROKEN' }),
      );
    }
  });

  test('any bytes are read or refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(outcomeOf(bytes)).toMatch(/^(?:read|DER_BROKEN)$/);
      }),
    );
  });
});
