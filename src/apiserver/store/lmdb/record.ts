/**
 * Encodes and decodes the records of the store in an LMDB file: format 1, or 2 with encrypted objects.
 *
 *     key                                   value
 *     00                                    checksum, key, {"format":1,"revision":7,"floor":3}
 *     revision (8 bytes), index (4 bytes)   checksum, key, length of the name, name, object
 *
 * There is one record for each version, in the order of creation; the newest version of a name is the current
 * object. So a commit adds records and changes none, history needs no second copy, and names may have any
 * length although LMDB's keys are short.
 *
 * Names and objects are JSON text, which preserves integers, the order of fields, a field called `__proto__`,
 * and strings that are not valid Unicode. An empty text means that the object was deleted. The checksum
 * (CRC-32) covers everything after it. The key is repeated there, so that a record under a wrong key is
 * detected.
 *
 * If an EncryptionConfiguration encrypts the resource, an encrypted value replaces the object's text
 * (at-rest/encryption.ts). It begins with `k8s:enc:`, whereas JSON begins with `{`. The head then names the
 * configuration with which everything in the file was written, including free pages.
 */
import { crc32 } from 'node:zlib';
import { assert } from '../../../lib/assert.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { printObject } from '../../objects/object-text.ts';
import { Version } from '../version.ts';
import { parseExactJson } from '../../../lib/json-text/exact-json.ts';

export interface Head {
  readonly format: number;
  /** The revision of the newest commit. */
  readonly revision: number;
  /** The oldest snapshot that can be read. */
  readonly floor: number;
  /** The encryption of everything in the file, including free pages. Absent: unknown. */
  readonly sealing?: string;
}

/** The offsets of a key and its value in the file. */
export interface RecordSpan {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The newest format that this version of podkeep reads. */
export const FORMAT = 2;
/** Written while nothing is encrypted, so that older versions of podkeep can read it. */
export const PLAIN_FORMAT = 1;
export const HEAD_KEY = Buffer.from([0]);

const VERSION_KEY_BYTES = 12;
const CHECKSUM_BYTES = 4;
const LENGTH_BYTES = 4;
/** `{` */
const JSON_START = 0x7b;

export function encodeHead(head: Head): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  return seal(Buffer.concat([Buffer.alloc(CHECKSUM_BYTES), HEAD_KEY, text]));
}

/** Undefined: it is not a valid head. A head of a newer format may have more fields. */
export function decodeHead(file: Buffer, span: RecordSpan): Head | undefined {
  const bodyStart = span.start + CHECKSUM_BYTES + HEAD_KEY.length;
  const head = isSound(file, span) ? parse(file, bodyStart, span.end) : null;
  if (!isJsonObject(head)) return undefined;
  const { format, revision, floor, sealing } = head;
  if (!isCount(format) || !isCount(revision) || !isCount(floor)) return undefined;
  return { format, revision, floor, ...(typeof sealing === 'string' && { sealing }) };
}

export function encodeVersionKey(revision: number, index: number): Buffer {
  const key = Buffer.allocUnsafe(VERSION_KEY_BYTES);
  key.writeUInt32BE(Math.floor(revision / 2 ** 32), 0);
  key.writeUInt32BE(revision % 2 ** 32, 4);
  key.writeUInt32BE(index, 8);
  return key;
}

/** Encodes an object's text for the file. */
export type SealValue = (name: string, text: Buffer) => Buffer;

export function encodeVersion(
  key: Buffer,
  name: string,
  value: JsonObject | null,
  sealValue?: SealValue,
): Buffer {
  const nameText = JSON.stringify(name);
  if (sealValue && value !== null) {
    return encodeRaw(key, nameText, sealValue(name, Buffer.from(printObject(value))));
  }
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

/** Encodes a record with exactly this value. `nameText`: JSON. */
export function encodeRaw(key: Buffer, nameText: string, value: Buffer): Buffer {
  const name = Buffer.from(nameText);
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32LE(name.length);
  return seal(Buffer.concat([Buffer.alloc(CHECKSUM_BYTES), key, length, name, value]));
}

/** The parts of a version's record. */
export interface RawVersion {
  readonly name: string;
  readonly revision: number;
  readonly index: number;
  /** The value in the file, encrypted or not. */
  readonly value: Buffer;
}

/** Reads values that are not plain JSON, or all values. */
export interface ValueReader {
  readonly readsAll: boolean;
  read(raw: RawVersion): Version;
}

/** Undefined: it is not a valid record. The object's text is parsed when the object is read. */
export function decodeVersion(
  file: Buffer,
  span: RecordSpan,
  reader?: ValueReader,
): Version | undefined {
  const { keyStart, keyEnd, start, end } = span;
  const nameStart = start + CHECKSUM_BYTES + VERSION_KEY_BYTES + LENGTH_BYTES;
  if (keyEnd - keyStart !== VERSION_KEY_BYTES || nameStart > end) return undefined;
  if (!isSound(file, span)) return undefined;
  const nameEnd = nameStart + file.readUInt32LE(nameStart - LENGTH_BYTES);
  const name = parse(file, nameStart, nameEnd);
  if (typeof name !== 'string') return undefined;
  const revision = file.readUInt32BE(keyStart) * 2 ** 32 + file.readUInt32BE(keyStart + 4);
  const index = file.readUInt32BE(keyStart + 8);
  if (reader && nameEnd !== end && (reader.readsAll || file[nameEnd] !== JSON_START)) {
    return reader.read({ name, revision, index, value: file.subarray(nameEnd, end) });
  }
  const value = nameEnd === end ? null : (): JsonObject => parseObject(file, nameEnd, end);
  return new Version(name, revision, index, value);
}

/** Writes the checksum at the beginning of the record. */
function seal(record: Buffer): Buffer {
  record.writeUInt32LE(crc32(record.subarray(CHECKSUM_BYTES)));
  return record;
}

function isSound(file: Buffer, { keyStart, keyEnd, start, end }: RecordSpan): boolean {
  const body = start + CHECKSUM_BYTES;
  if (body + keyEnd - keyStart > end) return false;
  for (let at = keyStart; at < keyEnd; at++) {
    if (file[at] !== file[body + at - keyStart]) return false;
  }
  return file.readUInt32LE(start) === crc32(file.subarray(body, end));
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return parseExactJson(bytes.toString('utf8', start, end));
  } catch {
    // The text is not JSON: the caller reports it, with the name of the file.
    return undefined;
  }
}

export function parseObject(bytes: Buffer, start: number, end: number): JsonObject {
  const object = parse(bytes, start, end);
  assert(isJsonObject(object), 'a record with the right checksum holds no object');
  return object;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
