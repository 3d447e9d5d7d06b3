/**
 * How the store looks inside an LMDB file: podkeep's own format, number 1.
 *
 *     key                                   value
 *     00                                    checksum, key, {"format":1,"revision":7,"floor":3}
 *     revision (8 bytes), index (4 bytes)   checksum, key, length of the name, name, object
 *
 * One record for each version, in the order in which they were made; the newest of a name is the
 * object. So a commit adds records and changes none, history costs no second copy, and names of any
 * length and in any script fit although LMDB's keys are short.
 *
 * Names and objects are JSON text. It gives back what it was given: integers, the order of fields, a
 * field called `__proto__`, and strings that are no valid Unicode. An object without text was deleted.
 * The checksum (CRC-32) covers all behind it; the key is repeated there, so that a record in a wrong
 * place is noticed.
 */
import { crc32 } from 'node:zlib';
import { assert } from '../../../lib/assert.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { printObject } from '../../object-text.ts';
import { Version } from '../version.ts';

export interface Head {
  readonly format: number;
  /** Of the newest commit. */
  readonly revision: number;
  /** The oldest snapshot that can be read. */
  readonly floor: number;
}

/** Where in the file a key and its value are. */
export interface Place {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

export const FORMAT = 1;
export const HEAD_KEY = Buffer.from([0]);

const VERSION_KEY_BYTES = 12;
const CHECKSUM_BYTES = 4;
const LENGTH_BYTES = 4;

export function encodeHead(head: Head): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  return seal(Buffer.concat([Buffer.alloc(CHECKSUM_BYTES), HEAD_KEY, text]));
}

/** Undefined: it is not one. A head of a newer format may have more in it than we know. */
export function decodeHead(file: Buffer, place: Place): Head | undefined {
  const bodyStart = place.start + CHECKSUM_BYTES + HEAD_KEY.length;
  const head = isSound(file, place) ? parse(file, bodyStart, place.end) : null;
  if (!isJsonObject(head)) return undefined;
  const { format, revision, floor } = head;
  return isCount(format) && isCount(revision) && isCount(floor)
    ? { format, revision, floor }
    : undefined;
}

export function encodeVersionKey(revision: number, index: number): Buffer {
  const key = Buffer.allocUnsafe(VERSION_KEY_BYTES);
  key.writeUInt32BE(Math.floor(revision / 2 ** 32), 0);
  key.writeUInt32BE(revision % 2 ** 32, 4);
  key.writeUInt32BE(index, 8);
  return key;
}

export function encodeVersion(key: Buffer, name: string, value: JsonObject | null): Buffer {
  const nameText = JSON.stringify(name);
  const nameLength = Buffer.byteLength(nameText);
  const text = value === null ? '' : printObject(value);
  const nameStart = CHECKSUM_BYTES + key.length + LENGTH_BYTES;
  const record = Buffer.allocUnsafe(nameStart + nameLength + Buffer.byteLength(text));
  key.copy(record, CHECKSUM_BYTES);
  record.writeUInt32LE(nameLength, nameStart - LENGTH_BYTES);
  record.write(nameText, nameStart);
  record.write(text, nameStart + nameLength);
  return seal(record);
}

/** Undefined: it is not one. The object's text is parsed when somebody asks for it. */
export function decodeVersion(file: Buffer, place: Place): Version | undefined {
  const { keyStart, keyEnd, start, end } = place;
  const nameStart = start + CHECKSUM_BYTES + VERSION_KEY_BYTES + LENGTH_BYTES;
  if (keyEnd - keyStart !== VERSION_KEY_BYTES || nameStart > end) return undefined;
  if (!isSound(file, place)) return undefined;
  const nameEnd = nameStart + file.readUInt32LE(nameStart - LENGTH_BYTES);
  const name = parse(file, nameStart, nameEnd);
  if (typeof name !== 'string') return undefined;
  const revision = file.readUInt32BE(keyStart) * 2 ** 32 + file.readUInt32BE(keyStart + 4);
  const value = nameEnd === end ? null : (): JsonObject => parseObject(file, nameEnd, end);
  return new Version(name, revision, file.readUInt32BE(keyStart + 8), value);
}

/** Fills in the checksum at its beginning. */
function seal(record: Buffer): Buffer {
  record.writeUInt32LE(crc32(record.subarray(CHECKSUM_BYTES)));
  return record;
}

function isSound(file: Buffer, { keyStart, keyEnd, start, end }: Place): boolean {
  const body = start + CHECKSUM_BYTES;
  if (body + keyEnd - keyStart > end) return false;
  for (let at = keyStart; at < keyEnd; at++) {
    if (file[at] !== file[body + at - keyStart]) return false;
  }
  return file.readUInt32LE(start) === crc32(file.subarray(body, end));
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    // Not JSON: the caller says so, with the name of the file.
    return undefined;
  }
}

function parseObject(bytes: Buffer, start: number, end: number): JsonObject {
  const object = parse(bytes, start, end);
  assert(isJsonObject(object), 'a record with the right checksum holds no object');
  return object;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
