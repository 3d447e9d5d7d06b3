/**
 * The field types of CRI's messages. Each function takes a field number and returns the field's codec.
 *
 * As in proto3, a field with its default value is not written, except inside a list or a wrapper such as
 * `Int64Value`.
 */
import type { WireReader } from '../../../api/protobuf/wire-reader.ts';
import type { WireWriter } from '../../../api/protobuf/wire-writer.ts';
import { LENGTH, VARINT } from '../../../api/protobuf/wire-type.ts';
import type { Field, Message } from './message.ts';

/** Reads and writes values of one type, for any field number. */
interface Scalar<Value> {
  readonly none: Value;
  readonly wireType: typeof VARINT | typeof LENGTH;
  read(reader: WireReader, wireType: number): Value;
  write(writer: WireWriter, value: Value): void;
}

const NO_BYTES = new Uint8Array();

const TEXT: Scalar<string> = {
  none: '',
  wireType: LENGTH,
  read: (reader, wireType) => reader.readText(wireType),
  write: (writer, value) => writer.writeText(value),
};

const BOOL: Scalar<boolean> = {
  none: false,
  wireType: VARINT,
  read: (reader, wireType) => reader.readBool(wireType),
  write: (writer, value) => writer.writeInteger(value ? 1 : 0),
};

const INT32: Scalar<number> = {
  none: 0,
  wireType: VARINT,
  read: (reader, wireType) => reader.readInt32(wireType),
  write: (writer, value) => writer.writeInteger(value),
};

const UINT32: Scalar<number> = {
  ...INT32,
  read: (reader, wireType) => reader.readUint32(wireType),
};

/** For sizes and IDs. A value beyond 2^53, such as "no limit" in bytes, is rounded, not refused. */
const INT64: Scalar<number> = {
  none: 0,
  wireType: VARINT,
  read: (reader, wireType) => Number(reader.readBigInt64(wireType)),
  write: (writer, value) => writer.writeBigInteger(BigInt(Math.trunc(value))),
};

const UINT64: Scalar<number> = {
  ...INT64,
  read: (reader, wireType) => Number(BigInt.asUintN(64, reader.readBigInt64(wireType))),
};

/** For nanoseconds since 1970, which exceed the precision of a number. */
const BIG_INT64: Scalar<bigint> = {
  none: 0n,
  wireType: VARINT,
  read: (reader, wireType) => reader.readBigInt64(wireType),
  write: (writer, value) => writer.writeBigInteger(value),
};

const BIG_UINT64: Scalar<bigint> = {
  ...BIG_INT64,
  read: (reader, wireType) => BigInt.asUintN(64, reader.readBigInt64(wireType)),
};

export const text = (number: number): Field<string, string> => single(number, TEXT);
export const bool = (number: number): Field<boolean, boolean> => single(number, BOOL);
export const int32 = (number: number): Field<number, number> => single(number, INT32);
export const uint32 = (number: number): Field<number, number> => single(number, UINT32);
export const int64 = (number: number): Field<number, number> => single(number, INT64);
export const uint64 = (number: number): Field<number, number> => single(number, UINT64);
export const nanoseconds = (number: number): Field<bigint, bigint> => single(number, BIG_INT64);
export const bigUint64 = (number: number): Field<bigint, bigint> => single(number, BIG_UINT64);

export const texts = (number: number): Field<readonly string[], readonly string[]> =>
  list(number, TEXT);
export const int32s = (number: number): Field<readonly number[], readonly number[]> =>
  list(number, INT32);
export const int64s = (number: number): Field<readonly number[], readonly number[]> =>
  list(number, INT64);

export function bytes(number: number): Field<Uint8Array, Uint8Array> {
  return {
    number,
    initial: () => NO_BYTES,
    read: (reader, wireType) => reader.readBytes(wireType),
    write: (writer, value) => {
      if (value.length === 0) return;
      writer.writeBytes(value);
      writer.writeTag(number, LENGTH);
    },
  };
}

/** An enum: `names` are in the order of their numbers. A number without a name is read as UNRECOGNIZED. */
export function choice<const Name extends string>(
  number: number,
  names: readonly Name[],
): Field<Name | 'UNRECOGNIZED', Name> {
  const nameOf = (value: number): Name | 'UNRECOGNIZED' => names[value] ?? 'UNRECOGNIZED';
  return {
    number,
    initial: () => nameOf(0),
    read: (reader, wireType) => nameOf(reader.readInt32(wireType)),
    write: (writer, value) => {
      const position = names.indexOf(value);
      if (position <= 0) return;
      writer.writeInteger(position);
      writer.writeTag(number, VARINT);
    },
  };
}

export function one<Read, Write>(
  number: number,
  kind: Message<Read, Write>,
): Field<Read | undefined, Write> {
  return {
    number,
    initial: () => undefined,
    read: (reader, wireType, before) =>
      kind.readPieces(reader, reader.readPieces(wireType), before),
    write: (writer, value) => writer.writeMessage(number, () => kind.writeBody(writer, value)),
  };
}

export function many<Read, Write>(
  number: number,
  kind: Message<Read, Write>,
): Field<readonly Read[], readonly Write[]> {
  return {
    number,
    initial: () => [],
    read: (reader, wireType, before) =>
      grown(before, kind.readPieces(reader, reader.readPieces(wireType))),
    write: (writer, values) => {
      for (const value of values.toReversed()) {
        writer.writeMessage(number, () => kind.writeBody(writer, value));
      }
    },
  };
}

type Labels = Readonly<Record<string, string>>;

/** `map<string, string>`: each entry is a message of a key and a value. */
export function labels(number: number): Field<Labels, Labels> {
  return {
    number,
    initial: () => ({}),
    read: (reader, wireType, before) => {
      let [key, value] = ['', ''];
      reader.eachField(reader.readPieces(wireType), (part, partType) => {
        if (part === 1) key = reader.readText(partType);
        else if (part === 2) value = reader.readText(partType);
        return part === 1 || part === 2;
      });
      // An assignment would set the prototype if the key is __proto__.
      const own = { value, enumerable: true, writable: true, configurable: true };
      return Object.defineProperty(before, key, own);
    },
    write: (writer, value) => {
      for (const [key, text_] of Object.entries(value).toReversed()) {
        writer.writeMessage(number, () => {
          writer.writeText(text_);
          writer.writeTag(2, LENGTH);
          writer.writeText(key);
          writer.writeTag(1, LENGTH);
        });
      }
    },
  };
}

function single<Value>(number: number, scalar: Scalar<Value>): Field<Value, Value> {
  const { none, wireType: ownType } = scalar;
  return {
    number,
    initial: () => none,
    read: (reader, wireType) => scalar.read(reader, wireType),
    write: (writer, value) => {
      if (value === none) return;
      scalar.write(writer, value);
      writer.writeTag(number, ownType);
    },
  };
}

/** Reads numbers both packed, as proto3 writes them, and one by one, which proto3 also allows. */
function list<Value>(
  number: number,
  scalar: Scalar<Value>,
): Field<readonly Value[], readonly Value[]> {
  const { wireType: ownType } = scalar;
  return {
    number,
    initial: () => [],
    read: (reader, wireType, before) => {
      if (wireType !== LENGTH || ownType === LENGTH) {
        return grown(before, scalar.read(reader, wireType));
      }
      reader.readPacked(() => grown(before, scalar.read(reader, ownType)));
      return before;
    },
    write: (writer, values) => {
      if (values.length === 0) return;
      if (ownType === LENGTH) {
        for (const value of values.toReversed()) {
          scalar.write(writer, value);
          writer.writeTag(number, LENGTH);
        }
        return;
      }
      writer.writeMessage(number, () => {
        for (const value of values.toReversed()) scalar.write(writer, value);
      });
    },
  };
}

/**
 * Appends in place: only this message has the list until `read` returns, and a copy per value would be slow.
 */
function grown<Value>(before: readonly Value[], value: Value): readonly Value[] {
  if (Array.isArray(before)) before.push(value);
  return before;
}
