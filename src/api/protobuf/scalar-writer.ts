/** Encodes scalars. Null is written as zero, as Go does; any other value of a wrong type is refused. */
import type { Json } from '../../lib/json.ts';
import type { Scalar } from '../schema/shape.ts';
import { decodeBase64 } from './base64.ts';
import { valueUnwritable } from './protobuf-error.ts';
import { FIXED32, FIXED64, LENGTH, VARINT, type WireType } from './wire-type.ts';
import type { WireWriter } from './wire-writer.ts';

/** `fieldPath` names the field in the error if the value is refused. */
export type WriteValue = (writer: WireWriter, value: Json, fieldPath: string) => void;

export interface ScalarWriter {
  readonly wireType: WireType;
  readonly write: WriteValue;
}

export const SCALAR_WRITERS: Readonly<Record<Scalar, ScalarWriter>> = {
  string: { wireType: LENGTH, write: writeString },
  bool: { wireType: VARINT, write: writeBool },
  int32: { wireType: VARINT, write: integerWriter(-(2 ** 31), 2 ** 31 - 1) },
  int64: { wireType: VARINT, write: longWriter(Number.MIN_SAFE_INTEGER) },
  uint32: { wireType: VARINT, write: integerWriter(0, 2 ** 32 - 1) },
  uint64: { wireType: VARINT, write: longWriter(0) },
  float: {
    wireType: FIXED32,
    write: (writer, value, fieldPath) => writer.writeFloat(number(value, fieldPath)),
  },
  double: {
    wireType: FIXED64,
    write: (writer, value, fieldPath) => writer.writeDouble(number(value, fieldPath)),
  },
  bytes: { wireType: LENGTH, write: writeBytes },
};

function writeString(writer: WireWriter, value: Json, fieldPath: string): void {
  if (value !== null && typeof value !== 'string') {
    throw valueUnwritable({ fieldPath, expected: 'a string' });
  }
  writer.writeText(value ?? '');
}

function writeBool(writer: WireWriter, value: Json, fieldPath: string): void {
  if (value !== null && typeof value !== 'boolean') {
    throw valueUnwritable({ fieldPath, expected: 'true or false' });
  }
  writer.writeInteger(value === true ? 1 : 0);
}

function integerWriter(min: number, max = Number.MAX_SAFE_INTEGER): WriteValue {
  return (writer, value, fieldPath) => {
    const integer = value ?? 0;
    if (typeof integer !== 'number' || !Number.isInteger(integer)) {
      throw valueUnwritable({ fieldPath, expected: 'an integer' });
    }
    if (integer < min || integer > max) {
      throw valueUnwritable({ fieldPath, expected: `between ${min} and ${max}` });
    }
    writer.writeInteger(integer);
  };
}

/** A writer of 64-bit integers. */
function longWriter(min: number): WriteValue {
  const write = integerWriter(min);
  return (writer, value, fieldPath) => {
    if (typeof value === 'bigint' && value > min) writer.writeBigInteger(value);
    else if (typeof value === 'bigint' && min < 0) writer.writeBigInteger(value);
    else write(writer, value, fieldPath);
  };
}

function number(value: Json, fieldPath: string): number {
  if (value !== null && typeof value !== 'number' && typeof value !== 'bigint') {
    throw valueUnwritable({ fieldPath, expected: 'a number' });
  }
  return Number(value ?? 0);
}

function writeBytes(writer: WireWriter, value: Json, fieldPath: string): void {
  const bytes = typeof value === 'string' || value === null ? decodeBase64(value ?? '') : undefined;
  if (bytes === undefined) throw valueUnwritable({ fieldPath, expected: 'a string of base64' });
  writer.writeBytes(bytes);
}
