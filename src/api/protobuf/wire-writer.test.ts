import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pieces, WireReader } from './wire-reader.ts';
import { LENGTH, VARINT } from './wire-type.ts';
import { WireWriter } from './wire-writer.ts';

function written(write: (writer: WireWriter) => void): readonly number[] {
  const writer = new WireWriter();
  write(writer);
  return [...writer.finish()];
}

describe('writing', () => {
  test('goes from the end to the beginning', () => {
    const bytes = written((writer) => {
      writer.writeText('b');
      writer.writeTag(2, LENGTH);
      writer.writeInteger(300);
      writer.writeTag(1, VARINT);
    });
    expect(bytes).toEqual([0x08, 0xac, 0x02, 0x12, 0x01, 0x62]);
  });

  test('a message follows its tag and its length', () => {
    const bytes = written((writer) => {
      writer.writeMessage(16, () => {
        writer.writeMessage(1, () => writer.writeRaw(Uint8Array.of(7, 8)));
      });
    });
    expect(bytes).toEqual([0x82, 0x01, 0x04, 0x0a, 0x02, 7, 8]);
  });

  test('integers have as few bytes as they need', () => {
    const bytesOf = (value: number): number =>
      written((writer) => writer.writeInteger(value)).length;
    expect(
      [0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 35, 2 ** 53 - 1].map(bytesOf),
    ).toEqual([1, 1, 2, 2, 3, 5, 5, 6, 8]);
    expect([-1, -(2 ** 53 - 1)].map(bytesOf)).toEqual([10, 10]);
  });

  test('every exact integer reads back', () => {
    const integers = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));
    fc.assert(
      fc.property(integers, (value) => {
        const bytes = written((writer) => {
          writer.writeInteger(value);
          writer.writeTag(1, VARINT);
        });
        const reader = new WireReader(Uint8Array.from(bytes));
        const values: (number | bigint)[] = [];
        reader.eachField(new Pieces(0, bytes.length), (_, type) => {
          values.push(reader.readInt64(type));
          return true;
        });
        expect(values).toEqual([value]);
      }),
    );
  });

  test('texts of any length and script are their UTF-8', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.constantFrom('', 'é', '🙂', 'x'.repeat(64), 'x'.repeat(65), '日'.repeat(700)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const utf8 = [...new TextEncoder().encode(text)];
        const bytes = written((writer) => writer.writeText(text));
        expect(bytes.slice(bytes.length - utf8.length)).toEqual(utf8);
        const length = written((writer) => writer.writeInteger(utf8.length));
        expect(bytes.slice(0, bytes.length - utf8.length)).toEqual(length);
      }),
    );
  });

  test('half a character becomes the replacement, as Go reads it from JSON', () => {
    expect(written((writer) => writer.writeText('\uD800'))).toEqual([3, 0xef, 0xbf, 0xbd]);
  });

  test('the buffer grows with what is written', () => {
    const chunk = new Uint8Array(1000).fill(7);
    const bytes = written((writer) => {
      for (let count = 0; count < 100; count++) writer.writeBytes(chunk);
    });
    expect(bytes.length).toBe(100 * 1002);
    expect(bytes.slice(0, 3)).toEqual([0xe8, 0x07, 7]);
    expect(bytes.at(-1)).toBe(7);
  });
});
