/**
 * Writes protobuf's wire format, from the end to the beginning.
 *
 * A message is preceded by its length, which is known only when the message has been written. Writing
 * backward avoids measuring first or moving bytes later. So all code that uses this writer writes in reverse:
 * value, then length, then tag; and the field with the largest number first.
 */
import { protobufTooDeep } from './protobuf-error.ts';
import { DEPTH_MAX, LENGTH, type WireType } from './wire-type.ts';

const SIZE_MIN = 1024;
const VARINT_BYTES_MAX = 10;
const TWO_TO_32 = 2 ** 32;

/** Below this length, copying characters is faster than calling the encoder. */
const SHORT_MAX = 64;

const encoder = new TextEncoder();

export class WireWriter {
  #bytes = new Uint8Array(SIZE_MIN);
  /** The start of the written bytes; they reach to the end. */
  #start = SIZE_MIN;
  #depth = 0;

  /** All written bytes, in a copy without the free space. */
  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  /** Called before a struct and everything in it is written; `leave` is called after it. */
  enter(): void {
    if (this.#depth >= DEPTH_MAX) throw protobufTooDeep(undefined);
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Writes a message, and before it its length and the tag. */
  writeMessage(number: number, writeBody: () => void): void {
    const sizeBefore = this.#bytes.length - this.#start;
    writeBody();
    this.#writeVarint(0, this.#bytes.length - this.#start - sizeBefore);
    this.writeTag(number, LENGTH);
  }

  writeTag(number: number, wireType: WireType): void {
    this.#writeVarint(0, ((number << 3) | wireType) >>> 0);
  }

  /** Any safe integer. Protobuf writes negative ones with all 64 bits. */
  writeInteger(value: number): void {
    const high = Math.floor(value / TWO_TO_32);
    this.#writeVarint(high, value - high * TWO_TO_32);
  }

  /** Any 64-bit integer, signed or unsigned. */
  writeBigInteger(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.#writeVarint(Number(bits >> 32n), Number(bits & 0xffff_ffffn));
  }

  writeText(text: string): void {
    const length = this.#writeShortText(text) ? text.length : this.#writeLongText(text);
    this.#writeVarint(0, length);
  }

  writeBytes(bytes: Uint8Array): void {
    this.writeRaw(bytes);
    this.#writeVarint(0, bytes.length);
  }

  /** Writes bytes without a length. */
  writeRaw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  writeDouble(value: number): void {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    this.writeRaw(new Uint8Array(view.buffer));
  }

  writeFloat(value: number): void {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value, true);
    this.writeRaw(new Uint8Array(view.buffer));
  }

  /** False: nothing was written, because the text is long or not ASCII only. */
  #writeShortText(text: string): boolean {
    const { length } = text;
    if (length > SHORT_MAX) return false;
    this.#reserve(length);
    const start = this.#start - length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#bytes[start + index] = code;
    }
    this.#start = start;
    return true;
  }

  #writeLongText(text: string): number {
    // A UTF-16 unit takes at most three bytes. The text is encoded at the start of that space, then moved to
    // its end.
    const spare = text.length * 3;
    this.#reserve(spare);
    const start = this.#start - spare;
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(start, this.#start));
    this.#bytes.copyWithin(this.#start - written, start, start + written);
    this.#start -= written;
    return written;
  }

  /** Both halves are integers; the lower one has no sign. */
  #writeVarint(high: number, low: number): void {
    this.#reserve(VARINT_BYTES_MAX);
    if (high === 0 && low < 0x80) {
      this.#start -= 1;
      this.#bytes[this.#start] = low;
      return;
    }
    const size = varintSize(high, low);
    this.#start -= size;
    let [upper, lower] = [high >>> 0, low >>> 0];
    for (let index = this.#start; index < this.#start + size; index++) {
      const more = index < this.#start + size - 1 ? 0x80 : 0;
      this.#bytes[index] = (lower & 0x7f) | more;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
  }

  #reserve(count: number): void {
    if (count <= this.#start) return;
    const written = this.#bytes.length - this.#start;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, 2 * (written + count)));
    larger.set(this.#bytes.subarray(this.#start), larger.length - written);
    this.#start = larger.length - written;
    this.#bytes = larger;
  }
}

function varintSize(high: number, low: number): number {
  const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
  return Math.ceil(bits / 7);
}
