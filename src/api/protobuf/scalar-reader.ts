/** Decodes scalars to JSON. */
import type { Json } from '../../lib/json.ts';
import type { Scalar } from '../schema/shape.ts';
import { encodeBase64 } from './base64.ts';
import type { WireReader } from './wire-reader.ts';
import { FIXED32, FIXED64, LENGTH, VARINT, type WireType } from './wire-type.ts';

export interface ScalarReader {
  readonly wireType: WireType;
  /** Go's zero value, which it prints for a field that was not sent. */
  readonly zero: Json;
  readonly read: (reader: WireReader, wireType: number) => Json;
}

export const SCALAR_READERS: Readonly<Record<Scalar, ScalarReader>> = {
  string: { wireType: LENGTH, zero: '', read: (reader, type) => reader.readText(type) },
  bool: { wireType: VARINT, zero: false, read: (reader, type) => reader.readBool(type) },
  int32: { wireType: VARINT, zero: 0, read: (reader, type) => reader.readInt32(type) },
  int64: { wireType: VARINT, zero: 0, read: (reader, type) => reader.readInt64(type) },
  uint32: { wireType: VARINT, zero: 0, read: (reader, type) => reader.readUint32(type) },
  uint64: { wireType: VARINT, zero: 0, read: (reader, type) => reader.readUint64(type) },
  float: { wireType: FIXED32, zero: 0, read: readFloat },
  double: { wireType: FIXED64, zero: 0, read: readDouble },
  // Bytes are a slice in Go, where nil and empty differ.
  bytes: {
    wireType: LENGTH,
    zero: null,
    read: (reader, type) => encodeBase64(reader.readBytes(type)),
  },
};

function readDouble(reader: WireReader, wireType: number): number {
  return finite(reader, reader.readDouble(wireType));
}

/** The fewest digits that identify the value among all 32-bit floats: 0.1, not 0.100000001. */
function readFloat(reader: WireReader, wireType: number): number {
  const value = finite(reader, reader.readFloat(wireType));
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function finite(reader: WireReader, value: number): number {
  return Number.isFinite(value) ? value : reader.refuse(`JSON has no form for ${value}`);
}
