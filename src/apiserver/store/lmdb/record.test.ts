import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../lib/json-text/exact-json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Version } from '../version.ts';
import * as format from './record.ts';
import { encodeHead, encodeVersion, encodeVersionKey } from './record.ts';

/** As in a file, not next to each other. */
function placeOf(key: Buffer, record: Buffer): readonly [Buffer, format.RecordSpan] {
  const start = 100 + key.length;
  const span = { keyStart: 7, keyEnd: 7 + key.length, start, end: start + record.length };
  const file = Buffer.concat([
    Buffer.alloc(7, 1),
    key,
    Buffer.alloc(93, 2),
    record,
    Buffer.alloc(9),
  ]);
  return [file, span];
}

function decodeVersion(key: Buffer, record: Buffer): Version | undefined {
  return format.decodeVersion(...placeOf(key, record));
}

function decodeHead(record: Buffer): format.Head | undefined {
  return format.decodeHead(...placeOf(format.HEAD_KEY, record));
}

const revision = fc.maxSafeNat();
const index = fc.nat(2 ** 32 - 1);
const name = fc.string({ unit: 'binary' });
const value = fc
  .dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }))
  .map((object) => parseExactJson(JSON.stringify(object)) as JsonObject);

describe('a version', () => {
  test('is decoded exactly, whatever it is', () => {
    fc.assert(
      fc.property(revision, index, name, fc.option(value), (revision, index, name, value) => {
        const key = encodeVersionKey(revision, index);
        const version = decodeVersion(key, encodeVersion(key, name, value));
        expect(version).toMatchObject({ key: name, revision, index, isDeletion: value === null });
        expect(version?.object?.value ?? null).toEqual(value);
      }),
    );
  });

  test('keeps a name that is no valid Unicode, and a field called __proto__', () => {
    const key = encodeVersionKey(1, 0);
    const object = JSON.parse('{"__proto__":{"x":1},"2":0,"1":0}') as JsonObject;
    const version = decodeVersion(key, encodeVersion(key, '/\ud83d', object));
    expect(version?.key).toBe('/\ud83d');
    expect(JSON.stringify(version?.object?.value)).toBe(JSON.stringify(object));
    expect(Object.keys(version?.object?.value ?? {})).toContain('__proto__');
  });

  test('sorts in the order of creation', () => {
    fc.assert(
      fc.property(revision, index, revision, index, (r1, i1, r2, i2) => {
        const order = encodeVersionKey(r1, i1).compare(encodeVersionKey(r2, i2));
        expect(order).toBe(Math.sign(r1 - r2 || i1 - i2));
      }),
    );
  });

  test('is recognised as damaged when a single bit is wrong, or in a wrong place', () => {
    const key = encodeVersionKey(7, 1);
    const record = encodeVersion(key, '/a', { text: 'hello' });
    for (let bit = 0; bit < record.length * 8; bit++) {
      const broken = Buffer.from(record);
      broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeVersion(key, broken)).toBeUndefined();
    }
    for (let length = 0; length < record.length; length++) {
      expect(decodeVersion(key, record.subarray(0, length))).toBeUndefined();
    }
    expect(decodeVersion(encodeVersionKey(7, 2), record)).toBeUndefined();
    expect(decodeVersion(Buffer.from([1]), record)).toBeUndefined();
  });
});

describe('a head', () => {
  test('is decoded', () => {
    const head = { format: 1, revision: 2 ** 40, floor: 3 };
    expect(decodeHead(encodeHead(head))).toEqual(head);
  });

  test('of a newer format may have more fields', () => {
    const head = { format: 2, revision: 5, floor: 3, shards: 4 };
    expect(decodeHead(encodeHead(head))).toEqual({ format: 2, revision: 5, floor: 3 });
  });

  test('is invalid if a bit is wrong, or a number is missing', () => {
    const record = encodeHead({ format: 1, revision: 5, floor: 3 });
    record[9] = (record[9] ?? 0) ^ 1;
    expect(decodeHead(record)).toBeUndefined();
    expect(decodeHead(encodeHead({ format: 1, revision: -5, floor: 3 }))).toBeUndefined();
    expect(decodeHead(Buffer.alloc(0))).toBeUndefined();
  });
});
