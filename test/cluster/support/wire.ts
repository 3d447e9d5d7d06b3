/**
 * Protocol buffers by field numbers: what the tests need to call a runtime themselves, without the code
 * that they test.
 */
export type Value = string | number | boolean | Message;
export type Message = readonly (readonly [field: number, value: Value])[];

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const MORE = 0x80;

export function encode(message: Message): Buffer {
  return Buffer.concat(message.map(([field, value]) => encodeField(field, value)));
}

/** A message that was read: every field may be there more than once. */
export class Wire {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    while (at < bytes.length) {
      const [tag, afterTag] = readVarint(bytes, at);
      const [value, next] = readValue(bytes, afterTag, Number(tag & 7n));
      const field = Number(tag >> 3n);
      this.#fields.set(field, [...(this.#fields.get(field) ?? []), value]);
      at = next;
    }
  }

  text(field: number): string {
    return this.#bytes(field).toString('utf8');
  }

  number(field: number): number {
    const value = this.#fields.get(field)?.at(-1) ?? 0n;
    return typeof value === 'bigint' ? Number(value) : Number.NaN;
  }

  message(field: number): Wire {
    return new Wire(this.#bytes(field));
  }

  messages(field: number): readonly Wire[] {
    return (this.#fields.get(field) ?? []).map(
      (value) => new Wire(typeof value === 'bigint' ? Buffer.alloc(0) : value),
    );
  }

  texts(field: number): readonly string[] {
    return (this.#fields.get(field) ?? []).map((value) => value.toString());
  }

  map(field: number): Readonly<Record<string, string>> {
    return Object.fromEntries(this.messages(field).map((each) => [each.text(1), each.text(2)]));
  }

  #bytes(field: number): Buffer {
    const value = this.#fields.get(field)?.at(-1);
    return value === undefined || typeof value === 'bigint' ? Buffer.alloc(0) : value;
  }
}

function encodeField(field: number, value: Value): Buffer {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Buffer.concat([varint((field << 3) | VARINT), varint(Number(value))]);
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : encode(value);
  return Buffer.concat([varint((field << 3) | BYTES), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest >= BigInt(MORE)) {
    bytes.push(Number(rest & 0x7fn) | MORE);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

function readValue(bytes: Buffer, at: number, type: number): readonly [bigint | Buffer, number] {
  if (type === VARINT) return readVarint(bytes, at);
  if (type === FIXED64) return [bytes.readBigUInt64LE(at), at + 8];
  if (type === FIXED32) return [BigInt(bytes.readUInt32LE(at)), at + 4];
  if (type !== BYTES) throw new Error(`a field of the unknown type ${type}`);
  const [length, start] = readVarint(bytes, at);
  const end = start + Number(length);
  return [bytes.subarray(start, end), end];
}

function readVarint(bytes: Buffer, from: number): readonly [bigint, number] {
  let [value, shift, at] = [0n, 0n, from];
  for (;;) {
    const byte = bytes.readUInt8(at);
    value |= BigInt(byte & 0x7f) << shift;
    at += 1;
    if (byte < MORE) return [value, at];
    shift += 7n;
  }
}
