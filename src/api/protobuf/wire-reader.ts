/**
 * Reads protobuf's wire format: tags, integers, floats, texts, and the positions of messages.
 *
 * The input is not trusted: each read stays within its message, so a wrong length can neither reach beyond
 * the message nor cause memory to be allocated for bytes that do not exist. A violation is
 * `PROTOBUF_MALFORMED`, with the offset.
 *
 * A message may come in pieces: if a message field occurs again, the occurrences together are one message. So
 * a nested message is not decoded when it is found. The reader records the positions of its pieces, and
 * decodes them later with `eachField`, without copying.
 */
import { integerTooLarge, protobufMalformed, protobufTooDeep } from './protobuf-error.ts';
import { decodeText } from './text.ts';
import {
  DEPTH_MAX,
  FIELD_NUMBER_MAX,
  FIXED32,
  FIXED64,
  LENGTH,
  VARINT,
  type WireType,
} from './wire-type.ts';
import { isInt64 } from '../../lib/json-text/exact-json.ts';

/** The positions of a message's bytes. */
export class Pieces {
  readonly start: number;
  readonly end: number;
  /** The bounds of later pieces, if any: start, end, start, end. */
  later: number[] | undefined = undefined;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Reads the value of a field. False: it does not know the field. */
export type TakeField = (number: number, wireType: number) => boolean;

/** A message that was never sent. */
export const NO_BYTES: Pieces = new Pieces(0, 0);

/**
 * Two bytes can be a message that becomes hundreds of bytes of JSON, such as an empty Pod. So a large object
 * may have at most one message for every two bytes; what Go writes never comes near that.
 */
const MESSAGES_FREE = 10_000;

const NO_BOUNDS: readonly number[] = [];
const VARINT_BYTES_MAX = 10;
const TWO_TO_32 = 2 ** 32;

export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;
  /** The end of the current message. */
  #end: number;
  #depth = 0;
  #messagesLeft: number;
  /** The upper half of the integer that was read last. */
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
    this.#messagesLeft = MESSAGES_FREE + bytes.length / 2;
  }

  /** Calls `take` for each field of a message, then returns to the position before. Skips unknown fields. */
  eachField(pieces: Pieces, take: TakeField): void {
    const position = this.#position;
    const end = this.#end;
    this.#visit(pieces.start, pieces.end, take);
    const later = pieces.later ?? NO_BOUNDS;
    for (let index = 0; index < later.length; index += 2) {
      this.#visit(later[index] ?? 0, later[index + 1] ?? 0, take);
    }
    this.#position = position;
    this.#end = end;
  }

  /** Called before a message and everything in it is decoded; `leave` is called after it. */
  enter(): void {
    if (this.#depth >= DEPTH_MAX) throw protobufTooDeep(undefined);
    if (this.#messagesLeft <= 0)
      this.refuse('it has more messages than its bytes can be meant for');
    this.#depth += 1;
    this.#messagesLeft -= 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Records the position of the message that starts here, and skips it. */
  readPieces(wireType: number, before?: Pieces): Pieces {
    const end = this.#readEnd(wireType);
    const start = this.#position;
    this.#position = end;
    if (before === undefined) return new Pieces(start, end);
    (before.later ??= []).push(start, end);
    return before;
  }

  readText(wireType: number): string {
    const end = this.#readEnd(wireType);
    const text = decodeText(this.#bytes, this.#position, end);
    this.#position = end;
    return text;
  }

  /** A view of the bytes, not a copy. */
  readBytes(wireType: number): Uint8Array {
    const end = this.#readEnd(wireType);
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }

  /** Reads values up to the end of a packed list. */
  readPacked(readValue: () => void): void {
    const outerEnd = this.#end;
    this.#end = this.#readEnd(LENGTH);
    while (this.#position < this.#end) readValue();
    this.#end = outerEnd;
  }

  readBool(wireType: number): boolean {
    this.expect(wireType, VARINT);
    return (this.#readVarint() | this.#high) !== 0;
  }

  /** Takes the low half of an integer with more than 32 bits, as Go does. */
  readInt32(wireType: number): number {
    this.expect(wireType, VARINT);
    return this.#readVarint();
  }

  readUint32(wireType: number): number {
    return this.readInt32(wireType) >>> 0;
  }

  readInt64(wireType: number): number | bigint {
    this.expect(wireType, VARINT);
    const low = this.#readVarint() >>> 0;
    return exactly(this.#high, low);
  }

  readUint64(wireType: number): number | bigint {
    this.expect(wireType, VARINT);
    const low = this.#readVarint() >>> 0;
    return exactly(this.#high >>> 0, low);
  }

  readBigInt64(wireType: number): bigint {
    this.expect(wireType, VARINT);
    const low = this.#readVarint() >>> 0;
    return join(this.#high, low);
  }

  readDouble(wireType: number): number {
    this.expect(wireType, FIXED64);
    return this.#view.getFloat64(this.#pass(8), true);
  }

  readFloat(wireType: number): number {
    this.expect(wireType, FIXED32);
    return this.#view.getFloat32(this.#pass(4), true);
  }

  expect(wireType: number, expected: WireType): void {
    if (wireType !== expected) this.refuse(`wire type ${wireType} where ${expected} belongs`);
  }

  refuse(reason: string): never {
    throw protobufMalformed({ reason, offset: this.#position });
  }

  #visit(start: number, end: number, take: TakeField): void {
    this.#position = start;
    this.#end = end;
    while (this.#position < end) {
      const tag = this.#readVarint() >>> 0;
      const number = tag >>> 3;
      if (this.#high !== 0 || number === 0 || number > FIELD_NUMBER_MAX) {
        this.refuse('no field has such a number');
      }
      if (!take(number, tag & 7)) this.#skip(tag & 7);
    }
  }

  #skip(wireType: number): void {
    switch (wireType) {
      case VARINT:
        this.#readVarint();
        return;
      case FIXED64:
        this.#pass(8);
        return;
      case LENGTH:
        this.#position = this.#readEnd(wireType);
        return;
      case FIXED32:
        this.#pass(4);
        return;
      default:
        this.refuse(wireType < 6 ? 'groups are not used' : `wire type ${wireType} does not exist`);
    }
  }

  /** Reads a length and returns the offset at which it ends. */
  #readEnd(wireType: number): number {
    this.expect(wireType, LENGTH);
    const length = this.#readVarint() >>> 0;
    const end = this.#position + length;
    if (this.#high !== 0 || end > this.#end) this.refuse('a length reaches beyond the message');
    return end;
  }

  /** Skips that many bytes and returns the offset of the first of them. */
  #pass(count: number): number {
    const start = this.#position;
    if (start + count > this.#end) this.refuse('the message ends within a number');
    this.#position = start + count;
    return start;
  }

  /** The lower half of a 64-bit integer. The upper one is left in #high. */
  #readVarint(): number {
    const first = this.#bytes[this.#position] ?? 0;
    if (first < 0x80 && this.#position < this.#end) {
      this.#position += 1;
      this.#high = 0;
      return first;
    }
    return this.#readLongVarint();
  }

  #readLongVarint(): number {
    const limit = Math.min(this.#position + VARINT_BYTES_MAX, this.#end);
    let low = 0;
    let high = 0;
    let shift = 0;
    for (let index = this.#position; index < limit; index++) {
      const byte = this.#bytes[index] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#position = index + 1;
        this.#high = high;
        return low;
      }
      shift += 7;
    }
    const isCut = limit === this.#end && shift < 7 * VARINT_BYTES_MAX;
    return this.refuse(isCut ? 'the message ends within a number' : 'an integer overflows');
  }
}

function exactly(high: number, low: number): number | bigint {
  const value = high * TWO_TO_32 + low;
  if (Number.isSafeInteger(value)) return value;
  // Kubernetes has no field with unsigned integers of more than 63 bits, and no JSON for them.
  const integer = join(high, low);
  if (isInt64(integer)) return integer;
  throw integerTooLarge({ digits: integer.toString() });
}

function join(high: number, low: number): bigint {
  return BigInt(high) * BigInt(TWO_TO_32) + BigInt(low);
}
