/** Scalars, from JSON to the wire. Null is zero, as it is to Go; any other misfit is refused. */
import type { Json } from '../../lib/json.ts';
import type { Scalar } from '../schema/shape.ts';
import { decodeBase64 } from './base64.ts';
import { valueUnwritable } from './protobuf-error.ts';
import { FIXED32, FIXED64, LENGTH, VARINT, type WireType } from './wire-type.ts';
import type { WireWriter } from './wire-writer.ts';

/** `place` names the field, in case the value is refused. */
export type WriteValue = (writer: WireWriter, value: Json, place: string) => void;

export interface ScalarWriter {
  readonly wireType: WireType;
  readonly write: WriteValue;
}

export const SCALAR_WRITERS: Readonly<Record<Scalar, ScalarWriter>> = {
  string: { wireType: LENGTH, write: writeString },
  bool: { wireType: VARINT, write: writeBool },
  int32: { wireType: VARINT, write: integerWriter(-(2 ** 31), 2 ** 31 - 1) },
  int64: { wireType: VARINT, write: integerWriter(Number.MIN_SAFE_INTEGER) },
  uint32: { wireType: VARINT, write: integerWriter(0, 2 ** 32 - 1) },
  uint64: { wireType: VARINT, write: integerWriter(0) },
  float: {
    wireType: FIXED32,
    write: (writer, value, place) => writer.writeFloat(number(value, place)),
  },
  double: {
    wireType: FIXED64,
    write: (writer, value, place) => writer.writeDouble(number(value, place)),
  },
  bytes: { wireType: LENGTH, write: writeBytes },
};

function writeString(writer: WireWriter, value: Json, place: string): void {
  if (value !== null && typeof value !== 'string') {
    throw valueUnwritable({ place, expected: 'a string' });
  }
  writer.writeText(value ?? '');
}

function writeBool(writer: WireWriter, value: Json, place: string): void {
  if (value !== null && typeof value !== 'boolean') {
    throw valueUnwritable({ place, expected: 'true or false' });
  }
  writer.writeInteger(value === true ? 1 : 0);
}

function integerWriter(min: number, max = Number.MAX_SAFE_INTEGER): WriteValue {
  return (writer, value, place) => {
    const integer = value ?? 0;
    if (typeof integer !== 'number' || !Number.isInteger(integer)) {
      throw valueUnwritable({ place, expected: 'an integer' });
    }
    if (integer < min || integer > max) {
      throw valueUnwritable({ place, expected: `between ${min} and ${max}` });
    }
    writer.writeInteger(integer);
  };
}

function number(value: Json, place: string): number {
  if (value !== null && typeof value !== 'number') {
    throw valueUnwritable({ place, expected: 'a number' });
  }
  return value ?? 0;
}

function writeBytes(writer: WireWriter, value: Json, place: string): void {
  const bytes = typeof value === 'string' || value === null ? decodeBase64(value ?? '') : undefined;
  if (bytes === undefined) throw valueUnwritable({ place, expected: 'a string of base64' });
  writer.writeBytes(bytes);
}
