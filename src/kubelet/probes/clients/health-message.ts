/** Encodes and decodes the two messages of gRPC's health protocol, with gRPC's framing. */

const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

/** One byte for the compression flag, and four for the length. */
const FRAME_HEAD_BYTES = 5;
const SERVICE_FIELD = 0x0a;
const STATUS_FIELD = 0x08;
const LENGTH_DELIMITED = 2;
const VARINT = 0;

export function healthCheckRequest(service: string): Uint8Array {
  const name = Buffer.from(service, 'utf8');
  const message =
    name.length === 0
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.from([SERVICE_FIELD, ...varint(name.length)]), name]);
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The name of the status in the first frame; null: there is no whole frame. */
export function healthStatusIn(body: Uint8Array): string | null {
  const bytes = Buffer.from(body);
  if (bytes.length < FRAME_HEAD_BYTES) return null;
  const end = FRAME_HEAD_BYTES + bytes.readUInt32BE(1);
  if (bytes.length < end) return null;
  const status = readStatus(bytes.subarray(FRAME_HEAD_BYTES, end));
  return STATUS_NAMES[status] ?? String(status);
}

/** Unknown fields are skipped; the last one of a kind counts. */
function readStatus(message: Uint8Array): number {
  let status = 0;
  let index = 0;
  while (index < message.length) {
    const tag = readVarint(message, index);
    const value = readVarint(message, tag.end);
    const wireType = tag.value & 7;
    if (tag.value === STATUS_FIELD) status = value.value;
    if (wireType === VARINT) index = value.end;
    else if (wireType === LENGTH_DELIMITED) index = value.end + value.value;
    else return status;
  }
  return status;
}

function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  let end = start;
  for (let scale = 1; end < bytes.length; scale *= 128) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return { value, end };
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
