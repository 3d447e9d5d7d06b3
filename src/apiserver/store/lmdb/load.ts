/**
 * Reads and checks the whole file of a store, without LMDB.
 *
 * The whole file is read at the start, because a store that opens must be intact: if a request found the
 * damage hours later, it could be too late to restore a backup. Parsing takes most of the time, so each
 * object is parsed only when it is first read. Until then its text stays in the buffer that holds the file.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { storeDamaged, storeTooNew, storeUnreadable } from '../store-errors.ts';
import type { Past } from '../timeline.ts';
import type { Encryption } from '../../at-rest/encryption.ts';
import type { Version } from '../version.ts';
import { Damage } from './damage.ts';
import { walkRecords } from './page-walk.ts';
import { SealedValues } from './sealed-values.ts';
import {
  decodeHead,
  decodeVersion,
  FORMAT,
  HEAD_KEY,
  type Head,
  type RecordSpan,
} from './record.ts';

export interface Loaded extends Past {
  readonly format: number;
  /** The encryption with which everything in the file was written. Null: unknown. */
  readonly sealing: string | null;
  readonly values: SealedValues;
  /**
   * The history must begin after this revision, because some of it cannot be decrypted. 0: all of it can be.
   */
  readonly unreadableUpTo: number;
}

/** Throws STORE_DAMAGED, STORE_TOO_NEW or STORE_UNREADABLE. */
export function loadPast(file: string, encryption: Encryption | null): Loaded {
  const bytes = readWholeFile(file);
  try {
    return readPast(file, bytes, encryption);
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    throw storeDamaged({ file, reason: error.message }, error);
  }
}

/** Calls `visit` with every record except the head, which it returns. */
export function readRecords(
  file: string,
  bytes: Buffer,
  visit: (span: RecordSpan, head: Head) => void,
): Head {
  let head: Head | null = null;
  walkRecords(bytes, (keyStart, keyEnd, start, end) => {
    const span = { keyStart, keyEnd, start, end };
    if (head) visit(span, head);
    else head = readHead(file, bytes, span);
  });
  return head ?? failForeign();
}

function readPast(file: string, bytes: Buffer, encryption: Encryption | null): Loaded {
  const versions: Version[] = [];
  const values = new SealedValues(encryption);
  const unreadable = new Set<string>();
  let unreadableUpTo = 0;
  const { format, revision, floor, sealing } = readRecords(file, bytes, (span, head) => {
    const version = readVersion(bytes, span, head.revision, values);
    versions.push(version);
    values.forget(version);
    // A change includes the state before it, which must be readable, too.
    if (unreadable.size > 0 && unreadable.delete(version.key)) unreadableUpTo = version.revision;
    if (!version.isUnreadable) return;
    unreadable.add(version.key);
    unreadableUpTo = version.revision;
  });
  return {
    revision,
    floor,
    versions,
    format,
    sealing: sealing ?? null,
    values,
    unreadableUpTo,
  };
}

function readHead(file: string, bytes: Buffer, span: RecordSpan): Head {
  if (!bytes.subarray(span.keyStart, span.keyEnd).equals(HEAD_KEY)) failForeign();
  const head = decodeHead(bytes, span);
  if (!head) throw new Damage('its head does not match its checksum');
  if (head.format > FORMAT) throw storeTooNew({ file, format: head.format, known: FORMAT });
  return head;
}

function failForeign(): never {
  throw new Damage('it was not written by podkeep');
}

function readVersion(
  bytes: Buffer,
  span: RecordSpan,
  newest: number,
  values: SealedValues,
): Version {
  const version = decodeVersion(bytes, span, values);
  if (!version) {
    const key = bytes.toString('hex', span.keyStart, span.keyEnd);
    throw new Damage(`record ${key} does not match its checksum`);
  }
  if (version.revision > newest) {
    throw new Damage(`it has revision ${version.revision}, and says that ${newest} is the newest`);
  }
  return version;
}

export function readWholeFile(file: string): Buffer {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.allocUnsafeSlow(fstatSync(descriptor).size);
      for (let length = 0; length < bytes.length;) {
        const count = readSync(descriptor, bytes, length, bytes.length - length, length);
        if (count === 0) return bytes.subarray(0, length);
        length += count;
      }
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw storeUnreadable({ file, reason: loadFailureOf(error) }, error);
  }
}

export function loadFailureOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
