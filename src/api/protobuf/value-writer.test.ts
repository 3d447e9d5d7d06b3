import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../lib/assert.ts';
import type { Json } from '../../lib/json.ts';
import type { Scalar, Shape, Special } from '../schema/shape.ts';
import { readMessage } from './message-reader.ts';
import { writeMessage } from './message-writer.ts';
import { valueReader } from './value-reader.ts';
import { valueWriter } from './value-writer.ts';
import { Pieces, WireReader } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

/** Writes a value in field 1. */
function write(shape: Shape, value: Json): Uint8Array {
  const writer = new WireWriter();
  valueWriter(shape, writeMessage)(writer, 1, value, 'the value');
  return writer.finish();
}

/** Writes a value and reads it again. */
function travel(shape: Shape, value: Json): unknown {
  const bytes = write(shape, value);
  const reader = new WireReader(bytes);
  const { read } = valueReader(shape, readMessage);
  const values: unknown[] = [];
  reader.eachField(new Pieces(0, bytes.length), (_, wireType) => {
    values.push(read(reader, wireType));
    return true;
  });
  expect(values).toHaveLength(1);
  return values[0];
}

const scalar = (name: Scalar): Shape => ({ kind: 'scalar', scalar: name });
const special = (name: Special): Shape => ({ kind: 'special', special: name });

describe('scalars', () => {
  test.each<[Scalar, Json]>([
    ['uint32', 2 ** 32 - 1],
    ['uint64', 2 ** 53 - 1],
    ['int32', -(2 ** 31)],
    ['float', 0.1],
    ['double', 1e-300],
    ['bytes', 'AAECAw=='],
  ])('a %s that is %j comes back', (name, value) => {
    expect(travel(scalar(name), value)).toBe(value);
  });

  test.each<[Scalar, Json]>([
    ['string', ''],
    ['bool', false],
    ['int64', 0],
    ['float', 0],
    ['double', 0],
    ['bytes', ''],
  ])('null is the zero of a %s', (name, zero) => {
    expect(travel(scalar(name), null)).toBe(zero);
  });

  test('what is unsigned is not negative', () => {
    for (const name of ['uint32', 'uint64'] as const) {
      expect(() => write(scalar(name), -1)).toThrow('the value must be between 0 and');
    }
  });
});

describe('special types', () => {
  test.each<[Special, Json, Json]>([
    ['Duration', '1h30m', '1h30m0s'],
    ['Duration', '-1.5ms', '-1.5ms'],
    ['Duration', null, '0s'],
    ['Time', '2026-01-02T04:04:05.9+01:00', '2026-01-02T03:04:05Z'],
    ['MicroTime', '2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.123456Z'],
    ['MicroTime', '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['IntOrString', '80', '80'],
    ['IntOrString', -80, -80],
    ['IntOrString', null, 0],
    ['RawExtension', [null, { a: 'é' }], [null, { a: 'é' }]],
    ['FieldsV1', null, null],
    ['JSONSchemaPropsOrBool', null, false],
    ['JSONSchemaPropsOrBool', {}, {}],
    ['JSONSchemaPropsOrArray', [null], [{}]],
    ['JSONSchemaPropsOrArray', [], null],
    ['JSONSchemaPropsOrStringArray', [null, 'a'], ['', 'a']],
    ['JSONSchemaPropsOrStringArray', { type: 'a' }, { type: 'a' }],
  ])('a %s that is %j comes back as %j', (name, value, expected) => {
    expect(travel(special(name), value)).toEqual(expected);
  });

  test('a schema with fields of the wrong type is refused wherever it stands', () => {
    const refused = expect.objectContaining({ code: 'PROTOBUF_VALUE_INVALID' });
    for (const value of [{ type: 1 }, [{ type: 1 }]]) {
      expect(() => write(special('JSONSchemaPropsOrArray'), value)).toThrow(refused);
    }
    expect(() => write(special('Duration'), 5)).toThrow(refused);
    expect(() => write(special('JSONSchemaPropsOrStringArray'), [1])).toThrow(refused);
  });
});

test('lists in messages of their own come back, empty or not', () => {
  const shape: Shape = { kind: 'list', item: scalar('string'), wrapped: true };
  expect(travel(shape, ['a', 'b'])).toEqual(['a', 'b']);
  expect(travel(shape, null)).toEqual([]);
});

test('a map is no value in a list', () => {
  expect(() => write({ kind: 'map', value: scalar('string') }, {})).toThrow(InvariantError);
});
