/**
 * Reads a store from its file, whole and checked, without letting LMDB touch it.
 *
 * All of it is read at once, because a store that opens has to be whole: damage that is found hours
 * later, by the one request that needs the page, is found too late for the backup. What takes time is
 * parsing, and that waits until somebody asks for the object. The text stays in the one buffer that
 * the file was read into until then.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { storeDamaged, storeTooNew, storeUnreadable } from '../store-errors.ts';
import type { Past } from '../timeline.ts';
import type { Version } from '../version.ts';
import { Damage } from './damage.ts';
import { walkRecords } from './page-walk.ts';
import { decodeHead, decodeVersion, FORMAT, HEAD_KEY, type Head, type Place } from './record.ts';

/** Throws STORE_DAMAGED, STORE_TOO_NEW or STORE_UNREADABLE. */
export function loadPast(file: string): Past {
  const bytes = readWhole(file);
  try {
    return readPast(file, bytes);
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    throw storeDamaged({ file, reason: error.message }, error);
  }
}

function readPast(file: string, bytes: Buffer): Past {
  let head: Head | null = null;
  const versions: Version[] = [];
  walkRecords(bytes, (keyStart, keyEnd, start, end) => {
    const place = { keyStart, keyEnd, start, end };
    if (head) versions.push(readVersion(bytes, place, head.revision));
    else head = readHead(file, bytes, place);
  });
  const { revision, floor } = head ?? failForeign();
  return { revision, floor, versions };
}

function readHead(file: string, bytes: Buffer, place: Place): Head {
  if (!bytes.subarray(place.keyStart, place.keyEnd).equals(HEAD_KEY)) failForeign();
  const head = decodeHead(bytes, place);
  if (!head) throw new Damage('its head does not match its checksum');
  if (head.format > FORMAT) throw storeTooNew({ file, format: head.format, known: FORMAT });
  return head;
}

function failForeign(): never {
  throw new Damage('it was not written by podkeep');
}

function readVersion(bytes: Buffer, place: Place, newest: number): Version {
  const version = decodeVersion(bytes, place);
  if (!version) {
    const key = bytes.toString('hex', place.keyStart, place.keyEnd);
    throw new Damage(`record ${key} does not match its checksum`);
  }
  if (version.revision > newest) {
    throw new Damage(`it has revision ${version.revision}, and says that ${newest} is the newest`);
  }
  return version;
}

function readWhole(file: string): Buffer {
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
    throw storeUnreadable({ file, reason: reasonOf(error) }, error);
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
