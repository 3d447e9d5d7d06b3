import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../lib/assert.ts';
import type { Scalar, Special } from '../schema/shape.ts';
import { readMessage } from './message-reader.ts';
import { bodyReader, valueReader } from './value-reader.ts';
import { Pieces, WireReader } from './wire-reader.ts';

const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(text.split(/\s+/).filter(Boolean), (byte) => Number.parseInt(byte, 16));

/** Reads hexadecimal bytes as the message of a special type. */
function special(name: Special, text: string): unknown {
  const bytes = bytesOf(text);
  const read = bodyReader({ kind: 'special', special: name }, readMessage);
  return read(new WireReader(bytes), new Pieces(0, bytes.length));
}

function scalar(name: Scalar, wireType: number, text: string): unknown {
  const { read } = valueReader({ kind: 'scalar', scalar: name }, readMessage);
  return read(new WireReader(bytesOf(text)), wireType);
}

const ascii = (text: string): string =>
  Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');

const raw = (text: string): string => `0a ${text.length.toString(16)} ${ascii(text)}`;
const malformed = expect.objectContaining({ code: 'PROTOBUF_MALFORMED' });

describe('quantities', () => {
  test('are shown in their canonical form (Q-1)', () => {
    expect(special('Quantity', raw('250m'))).toBe('250m');
    expect(special('Quantity', raw('1.5Gi'))).toBe('1536Mi');
    expect(special('Quantity', raw('1024Mi'))).toBe('1Gi');
    expect(special('Quantity', raw('1000'))).toBe('1k');
    expect(special('Quantity', raw('0m'))).toBe('0');
    expect(special('Quantity', raw('9Ei'))).toBe('9223372036854775807');
  });

  test('are zero when nothing was sent, and refused when the text is none', () => {
    expect(special('Quantity', '')).toBe('0');
    expect(() => special('Quantity', '0a 00')).toThrow(
      expect.objectContaining({ code: 'QUANTITY_INVALID' }),
    );
  });
});

describe('times', () => {
  test('have whole seconds, whatever the nanoseconds say', () => {
    expect(special('Time', '08 a5 eb dc ca 06 10 ff 01')).toBe('2026-01-02T03:04:05Z');
    expect(special('Time', '08 00 10 00')).toBe('1970-01-01T00:00:00Z');
    expect(special('Time', '08 ff ff ff ff ff ff ff ff ff 01')).toBe('1969-12-31T23:59:59Z');
  });

  test('are null when there is none: no bytes, or the first second of the year 1', () => {
    const yearOne = '08 80 92 b8 c3 98 fe ff ff ff 01';
    expect(special('Time', '')).toBe(null);
    expect(special('Time', yearOne)).toBe(null);
    expect(special('MicroTime', '')).toBe(null);
    expect(special('MicroTime', yearOne)).toBe(null);
    expect(special('MicroTime', `${yearOne} 10 e8 07`)).toBe('0001-01-01T00:00:00.000001Z');
  });

  test('with microseconds always have six digits', () => {
    expect(special('MicroTime', '08 a5 eb dc ca 06 10 f0 2e')).toBe('2026-01-02T03:04:05.000006Z');
    expect(special('MicroTime', '08 a5 eb dc ca 06 10 e7 07')).toBe('2026-01-02T03:04:05.000000Z');
  });

  test('take the nanoseconds that Go would take: too many, or negative ones', () => {
    // 1,500,000,000 and -1,000 nanoseconds after 1970
    expect(special('MicroTime', '10 80 de a0 cb 05')).toBe('1970-01-01T00:00:01.500000Z');
    expect(special('MicroTime', '10 98 f8 ff ff ff ff ff ff ff 01')).toBe(
      '1969-12-31T23:59:59.999999Z',
    );
  });

  test('beyond the years of four digits are refused', () => {
    expect(() => special('Time', '08 ff ff ff ff ff ff 07')).toThrow(malformed);
    expect(() => special('MicroTime', '08 80 80 80 80 80 80 f8 ff ff 01')).toThrow(malformed);
  });
});

test('durations are written as Go writes them', () => {
  expect(special('Duration', '')).toBe('0s');
  expect(special('Duration', '08 80 a8 d6 b9 07')).toBe('2s');
  expect(special('Duration', '08 ff ff ff ff ff ff ff ff ff 01')).toBe('-1ns');
  expect(special('Duration', '08 81 e0 af ad c7 b4 03')).toBe('4h10m0.000000001s');
});

describe('an integer or a string', () => {
  test('is what its type says', () => {
    expect(special('IntOrString', '08 00 10 50 1a 00')).toBe(80);
    expect(special('IntOrString', `08 01 10 50 1a 03 ${ascii('25%')}`)).toBe('25%');
    expect(special('IntOrString', '')).toBe(0);
  });

  test('has no third type', () => {
    expect(() => special('IntOrString', '08 02')).toThrow(malformed);
  });
});

describe('JSON in a message', () => {
  test('is read', () => {
    for (const name of ['RawExtension', 'FieldsV1', 'JSON'] as const) {
      expect(special(name, raw('{"a":[1]}'))).toEqual({ a: [1] });
      expect(special(name, '')).toBe(null);
      expect(() => special(name, raw('{'))).toThrow(malformed);
    }
  });

  test('that is empty is null, except for an extension, where Go fails, too', () => {
    expect(special('FieldsV1', '0a 00')).toBe(null);
    expect(special('JSON', '0a 00')).toBe(null);
    expect(() => special('RawExtension', '0a 00')).toThrow(malformed);
  });
});

describe('a schema or something else', () => {
  const schema = `2a 01 ${ascii('a')}`;

  test('is a schema if there is one', () => {
    expect(special('JSONSchemaPropsOrBool', `08 00 12 03 ${schema}`)).toEqual({ type: 'a' });
    expect(special('JSONSchemaPropsOrArray', `0a 03 ${schema}`)).toEqual({ type: 'a' });
    expect(special('JSONSchemaPropsOrStringArray', `0a 03 ${schema}`)).toEqual({ type: 'a' });
  });

  test('is the other otherwise', () => {
    expect(special('JSONSchemaPropsOrBool', '08 01')).toBe(true);
    expect(special('JSONSchemaPropsOrBool', '')).toBe(false);
    expect(special('JSONSchemaPropsOrArray', `12 03 ${schema} 12 00`)).toEqual([{ type: 'a' }, {}]);
    expect(special('JSONSchemaPropsOrStringArray', `12 01 ${ascii('k')}`)).toEqual(['k']);
    expect(special('JSONSchemaPropsOrArray', '')).toBe(null);
    expect(special('JSONSchemaPropsOrStringArray', '')).toBe(null);
  });

  test('is the list, if both were sent', () => {
    expect(special('JSONSchemaPropsOrArray', `0a 00 12 03 ${schema}`)).toEqual([{ type: 'a' }]);
  });
});

describe('scalars', () => {
  test('floats of 32 bits are as short as they can be', () => {
    expect(scalar('float', 5, 'cd cc cc 3d')).toBe(0.1);
    expect(scalar('float', 5, 'ff ff 7f 7f')).toBe(3.4028235e38);
    expect(scalar('float', 5, '00 00 00 00')).toBe(0);
  });

  test('what JSON has no number for is refused', () => {
    expect(() => scalar('double', 1, '00 00 00 00 00 00 f0 7f')).toThrow(malformed);
    expect(() => scalar('double', 1, '01 00 00 00 00 00 f8 7f')).toThrow(malformed);
    expect(() => scalar('float', 5, '00 00 80 ff')).toThrow(malformed);
  });

  test('unsigned integers are not negative', () => {
    expect(scalar('uint32', 0, 'ff ff ff ff 0f')).toBe(2 ** 32 - 1);
    expect(scalar('uint64', 0, 'ff ff ff ff ff ff ff 0f')).toBe(2 ** 53 - 1);
  });

  test('bytes are base64', () => {
    expect(scalar('bytes', 2, '03 ff fe fd')).toBe('//79');
  });
});

test('a map is no message', () => {
  const shape = { kind: 'map', value: { kind: 'scalar', scalar: 'string' } } as const;
  expect(() => bodyReader(shape, readMessage)).toThrow(InvariantError);
});
