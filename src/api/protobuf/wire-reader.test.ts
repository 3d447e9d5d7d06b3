import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pieces, WireReader } from './wire-reader.ts';
import { FIXED32, FIXED64, LENGTH, VARINT } from './wire-type.ts';

/** Reads the only field of a message and gives what `read` makes of it. */
function readField<Value>(
  bytes: readonly number[],
  read: (reader: WireReader, wireType: number) => Value,
): Value[] {
  const reader = new WireReader(Uint8Array.from(bytes));
  const values: Value[] = [];
  reader.eachField(new Pieces(0, bytes.length), (number, wireType) => {
    if (number !== 1) return false;
    values.push(read(reader, wireType));
    return true;
  });
  return values;
}

const malformed = (reason: string): unknown =>
  expect.objectContaining({
    code: 'PROTOBUF_MALFORMED',
    message: expect.stringContaining(reason),
    retry: 'never',
  });

const MINUS_ONE = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

describe('integers', () => {
  const int64 = (...bytes: number[]): (number | bigint)[] =>
    readField([0x08, ...bytes], (reader, type) => reader.readInt64(type));
  const int32 = (...bytes: number[]): number[] =>
    readField([0x08, ...bytes], (reader, type) => reader.readInt32(type));

  test('each byte has seven bits, the lowest first', () => {
    expect(int64(0x00)).toEqual([0]);
    expect(int64(0x7f)).toEqual([127]);
    expect(int64(0x80, 0x01)).toEqual([128]);
    expect(int64(0xac, 0x02)).toEqual([300]);
    expect(int64(0xff, 0xff, 0xff, 0xff, 0x0f)).toEqual([2 ** 32 - 1]);
    expect(int64(0x80, 0x80, 0x80, 0x80, 0x10)).toEqual([2 ** 32]);
  });

  test('negative ones take ten bytes', () => {
    expect(int64(...MINUS_ONE)).toEqual([-1]);
    expect(int32(...MINUS_ONE)).toEqual([-1]);
  });

  test('leading zeros do no harm', () => {
    expect(int64(0x81, 0x80, 0x80, 0x00)).toEqual([1]);
  });

  test('32 bits are taken from an integer that has more, as Go does', () => {
    expect(int32(0x85, 0x80, 0x80, 0x80, 0x10)).toEqual([5]);
    expect(int32(0xff, 0xff, 0xff, 0xff, 0x0f)).toEqual([-1]);
  });

  test('unsigned ones are never negative', () => {
    const read = (reader: WireReader, type: number): number => reader.readUint32(type);
    expect(readField([0x08, 0xff, 0xff, 0xff, 0xff, 0x0f], read)).toEqual([2 ** 32 - 1]);
    expect(() =>
      readField([0x08, ...MINUS_ONE], (reader, type) => reader.readUint64(type)),
    ).toThrow(
      expect.objectContaining({ message: expect.stringContaining('18446744073709551615') }),
    );
  });

  test('the last exact integers are read, and the ones beyond are refused by name', () => {
    expect(int64(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f)).toEqual([2 ** 53 - 1]);
    expect(int64(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10)).toEqual([2n ** 53n]);
    expect(int64(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)).toEqual([
      -(2n ** 63n),
    ]);
  });

  test('all 64 bits can be read', () => {
    const read = (reader: WireReader, type: number): bigint => reader.readBigInt64(type);
    expect(readField([0x08, ...MINUS_ONE.with(9, 0x00)], read)).toEqual([2n ** 63n - 1n]);
    expect(readField([0x08, ...MINUS_ONE], read)).toEqual([-1n]);
  });

  test('more than ten bytes are an overflow', () => {
    expect(() => int64(...MINUS_ONE.with(9, 0x81), 0x00)).toThrow(malformed('overflows'));
    expect(() => int64(...Array.from({ length: 50 }, () => 0xff))).toThrow(malformed('overflows'));
  });

  test('an integer that is cut off is malformed', () => {
    expect(() => int64(0x80)).toThrow(malformed('ends within a number'));
    expect(() => int64()).toThrow(malformed('ends within a number'));
    expect(() => int64(...MINUS_ONE.slice(0, 9))).toThrow(malformed('ends within a number'));
  });

  test('a bool is true when any bit is set', () => {
    const read = (reader: WireReader, type: number): boolean => reader.readBool(type);
    expect(readField([0x08, 0x00, 0x08, 0x01, 0x08, 0x02], read)).toEqual([false, true, true]);
    expect(readField([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], read)).toEqual([true]);
  });
});

describe('lengths', () => {
  const text = (...bytes: number[]): string[] =>
    readField(bytes, (reader, type) => reader.readText(type));

  test('that many bytes are read', () => {
    expect(text(0x0a, 0x02, 0x68, 0x69, 0x0a, 0x00)).toEqual(['hi', '']);
  });

  test('a length beyond the end is malformed, however large, and nothing is allocated for it', () => {
    expect(() => text(0x0a, 0x03, 0x68, 0x69)).toThrow(malformed('beyond the message'));
    expect(() => text(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07)).toThrow(malformed('beyond the message'));
    expect(() => text(0x0a, ...MINUS_ONE)).toThrow(malformed('beyond the message'));
    expect(() => text(0x0a, 0x80, 0x80, 0x80, 0x80, 0x10)).toThrow(malformed('beyond the message'));
  });

  test('an inner message cannot reach into the one around it', () => {
    const bytes = [0x0a, 0x02, 0x0a, 0x05, 0x68, 0x69, 0x68, 0x69, 0x68];
    const reader = new WireReader(Uint8Array.from(bytes));
    const readInner = (): void =>
      reader.eachField(new Pieces(0, bytes.length), (_, wireType) => {
        reader.eachField(
          reader.readPieces(wireType),
          (_number, type) => reader.readText(type) !== '',
        );
        return true;
      });
    expect(readInner).toThrow(malformed('beyond the message'));
  });

  test('the offset says where', () => {
    expect(() => text(0x0a, 0x01, 0x68, 0x0a, 0x09)).toThrow(malformed('at byte 5'));
  });
});

describe('fields', () => {
  test('unknown ones are skipped, whatever their type', () => {
    const unknown = [
      0x10, 0x96, 0x01, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 0x01, 0xff, 0x2d, 1, 2, 3, 4,
    ];
    const read = (reader: WireReader, type: number): number | bigint => reader.readInt64(type);
    expect(readField([...unknown, 0x08, 0x07, ...unknown], read)).toEqual([7]);
  });

  test('skipping stops at the end', () => {
    const read = (): number => 0;
    expect(() => readField([0x19, 1, 2, 3, 4, 5, 6, 7], read)).toThrow(malformed('ends within'));
    expect(() => readField([0x2d, 1, 2, 3], read)).toThrow(malformed('ends within'));
    expect(() => readField([0x22, 0x02, 0xff], read)).toThrow(malformed('beyond the message'));
  });

  test('groups are refused, opened or closed', () => {
    for (const tag of [0x13, 0x14]) {
      expect(() => readField([tag], () => 0)).toThrow(malformed('groups are not used'));
    }
  });

  test('wire types 6 and 7 do not exist', () => {
    expect(() => readField([0x16], () => 0)).toThrow(malformed('wire type 6 does not exist'));
    expect(() => readField([0x17], () => 0)).toThrow(malformed('wire type 7 does not exist'));
  });

  test('no field has the number 0, or one that protobuf does not allow', () => {
    expect(() => readField([0x00, 0x00], () => 0)).toThrow(malformed('no field has such a number'));
    expect(() => readField([0x80, 0x80, 0x80, 0x80, 0x10, 0x00], () => 0)).toThrow(
      malformed('no field has such a number'),
    );
  });

  test.each([
    ['readText', LENGTH],
    ['readBytes', LENGTH],
    ['readPieces', LENGTH],
    ['readInt32', VARINT],
    ['readInt64', VARINT],
    ['readBool', VARINT],
    ['readDouble', FIXED64],
    ['readFloat', FIXED32],
  ] as const)('%s wants wire type %i', (method, expected) => {
    const reader = new WireReader(new Uint8Array(16));
    for (const wireType of [0, 1, 2, 3, 4, 5, 6, 7].filter((type) => type !== expected)) {
      expect(() => reader[method](wireType)).toThrow(malformed(`${wireType} where ${expected}`));
    }
  });

  test('floats are eight bytes or four, the lowest first', () => {
    const pi = [0x09, 0x18, 0x2d, 0x44, 0x54, 0xfb, 0x21, 0x09, 0x40];
    expect(readField(pi, (reader, type) => reader.readDouble(type))).toEqual([Math.PI]);
    const half = [0x0d, 0x00, 0x00, 0x00, 0x3f];
    expect(readField(half, (reader, type) => reader.readFloat(type))).toEqual([0.5]);
  });

  test('the bytes may be a part of a larger buffer', () => {
    const buffer = Uint8Array.of(9, 9, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 9);
    const reader = new WireReader(buffer.subarray(2, 11));
    const values: number[] = [];
    reader.eachField(new Pieces(0, 9), (_, type) => values.push(reader.readDouble(type)) > 0);
    expect(values).toEqual([1]);
  });
});

describe('any bytes', () => {
  test('are visited to their end or refused with our error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const reader = new WireReader(bytes);
        let code: unknown = 'read';
        try {
          reader.eachField(new Pieces(0, bytes.length), () => false);
        } catch (error) {
          ({ code } = error as { code: unknown });
        }
        expect(['read', 'PROTOBUF_MALFORMED']).toContain(code);
      }),
      { numRuns: 1000 },
    );
  });
});
