/**
 * Reads the two meta pages of an LMDB file: each describes a state of the whole file, and the newer one
 * counts.
 *
 *     page      24 bytes of header: number, transaction, padding, flags, bounds
 *     then      magic, version, address, size of the map
 *               two trees of 48 bytes: that of the free pages, and that of the records
 *               the last page in use, the transaction
 *
 * This is data version 2 of LMDB as the `lmdb` package builds it, on machines with little-endian numbers.
 * LMDB trusts its file: if the file was truncated or overwritten, LMDB ends the process instead of reporting
 * an error. So podkeep checks the file before LMDB opens it.
 */
import { Damage } from './damage.ts';

export const HEADER_BYTES = 24;
/** The two meta pages are within this many bytes. */
export const META_PAGES_BYTES_MAX = 2 ** 16;

export interface Tree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Null: the tree is empty. */
  readonly root: number | null;
}

export interface Meta {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: number;
}

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_FLAG = 0x08;
const META_BYTES = 144;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 0x8000;
const MAP_BYTES_MAX = 2 ** 47;
const INTEGER_KEYS = 0x08;
/** LMDB's value for the root of an empty tree. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** The newest state that the file describes. */
export function readMeta(file: Buffer): Meta {
  const first = readMetaPage(file, 0, 'first');
  const second = readMetaPage(file, first.pageBytes, 'second');
  // Transactions write the two pages alternately, so that one of them is always intact.
  const isInTurn =
    first.transaction % 2 === 0 &&
    (second.transaction % 2 === 1 || second.transaction === 0) &&
    Math.abs(first.transaction - second.transaction) <= 1;
  if (!isInTurn || second.pageBytes !== first.pageBytes) {
    throw new Damage('its two meta pages disagree');
  }
  return second.transaction > first.transaction ? second : first;
}

function readMetaPage(file: Buffer, offset: number, which: string): Meta {
  const at = offset + HEADER_BYTES;
  if (file.length < at + META_BYTES) {
    throw new Damage(`it ends before its ${which} meta page, after ${file.length} bytes`);
  }
  if (file.readUInt32LE(at) !== MAGIC || !(file.readUInt16LE(offset + 18) & META_FLAG)) {
    throw new Damage(`its ${which} page is no meta page of LMDB`);
  }
  const version = file.readUInt16LE(at + 4);
  if (version !== DATA_VERSION) {
    throw new Damage(`LMDB's data version in it is ${version}, not ${DATA_VERSION}`);
  }
  const pageBytes = file.readUInt32LE(at + 24);
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX || pageBytes & (pageBytes - 1)) {
    throw new Damage(`it says that its pages have ${pageBytes} bytes`);
  }
  checkKinds(file, at);
  const lastPage = readPageNumber(file, at + 120);
  const mapBytes = readPageNumber(file, at + 16);
  if (mapBytes > MAP_BYTES_MAX || (lastPage + 1) * pageBytes > mapBytes) {
    throw new Damage(`it says that it has ${lastPage + 1} pages in ${mapBytes} bytes`);
  }
  return {
    pageBytes,
    free: readTree(file, at + 24),
    main: readTree(file, at + 72),
    lastPage,
    transaction: readPageNumber(file, at + 128),
  };
}

/** LMDB supports other orders of keys, and several values for a key. podkeep uses neither. */
function checkKinds(file: Buffer, at: number): void {
  const free = file.readUInt16LE(at + 28) & 0xff;
  const main = file.readUInt16LE(at + 76);
  if (free !== INTEGER_KEYS || main !== 0) throw new Damage('its trees are of another kind');
}

function readTree(file: Buffer, at: number): Tree {
  const root = file.readBigUInt64LE(at + 40);
  return {
    depth: file.readUInt16LE(at + 6),
    branchPages: readPageNumber(file, at + 8),
    leafPages: readPageNumber(file, at + 16),
    overflowPages: readPageNumber(file, at + 24),
    entries: readPageNumber(file, at + 32),
    root: root === NO_PAGE ? null : Number(root),
  };
}

/** Not exact beyond 2^53, but such a number is wrong anyway. */
export function readPageNumber(file: Buffer, at: number): number {
  return file.readUInt32LE(at) + file.readUInt32LE(at + 4) * 2 ** 32;
}
