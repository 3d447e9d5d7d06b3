/**
 * Reads all records of an LMDB file, and checks that the file is intact.
 *
 * Every page of the newest state must be inside the file, contain its own number, and be used once. Its
 * entries must fill it without holes, and must not reach beyond it. Keys must ascend, and keys of branch
 * pages must separate the pages below them. The numbers of pages and records must match the meta page. A page
 * in use must not be listed as free, because the next write would overwrite it.
 */
import { Damage } from './damage.ts';
import { HEADER_BYTES, readMeta, readPageNumber, type Meta, type Tree } from './meta-page.ts';

/**
 * Called with the position of each record: as numbers, because there are many records and views are slow to
 * create.
 */
export type Visit = (keyStart: number, keyEnd: number, start: number, end: number) => void;

type Compare = (file: Buffer, a: number, aEnd: number, b: number, bEnd: number) => number;

const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const KIND_MASK = 0x2f;
/** The value is on overflow pages. */
const BIG = 0x01;
const NODE_BYTES = 8;
/** The position of a big value: its first page, the transaction that wrote it, and its number of pages. */
const BIG_BYTES = 24;
const DEPTH_MAX = 32;
const META_PAGES = 2;

/** Visits all records in the order of their keys. Throws Damage. */
export function walkRecords(file: Buffer, visit: Visit): void {
  const meta = readMeta(file);
  // One flag for each page: whether it is in use.
  const used = new Uint8Array(Math.ceil(file.length / meta.pageBytes));
  used.fill(1, 0, META_PAGES);
  const lists: Buffer[] = [];
  new TreeWalk(file, meta, used, 'records', compareBytes, visit).walk(meta.main);
  new TreeWalk(file, meta, used, 'free pages', compareIntegers, (_, __, start, end) => {
    lists.push(file.subarray(start, end));
  }).walk(meta.free);
  for (const list of lists) checkFreePages(list, used, meta.lastPage);
}

class TreeWalk {
  readonly #file: Buffer;
  readonly #meta: Meta;
  readonly #used: Uint8Array;
  readonly #name: string;
  readonly #compare: Compare;
  readonly #visit: Visit;
  readonly #count = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
  /** The position of the key that was visited last; the next one must be greater. Zero: none yet. */
  #last = 0;
  #lastEnd = 0;
  /** The position of this page's key in its parent: no key below may be smaller. */
  #least = 0;
  #leastEnd = 0;

  constructor(
    file: Buffer,
    meta: Meta,
    used: Uint8Array,
    name: string,
    compare: Compare,
    visit: Visit,
  ) {
    this.#file = file;
    this.#meta = meta;
    this.#used = used;
    this.#name = name;
    this.#compare = compare;
    this.#visit = visit;
  }

  walk(tree: Tree): void {
    if (tree.root !== null) {
      if (tree.depth < 1 || tree.depth > DEPTH_MAX) {
        throw new Damage(`the tree of its ${this.#name} is ${tree.depth} pages deep`);
      }
      this.#readPage(tree.root, tree.depth);
    }
    for (const what of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      const [found, expected] = [this.#count[what], tree[what]];
      if (found !== expected) {
        throw new Damage(`the tree of its ${this.#name} has ${found} ${what}, not ${expected}`);
      }
    }
  }

  #readPage(page: number, depth: number): void {
    const file = this.#file;
    const isLeaf = depth === 1;
    const start = this.#enterPage(page, 1, isLeaf ? LEAF : BRANCH) + HEADER_BYTES;
    const end = start - HEADER_BYTES + this.#meta.pageBytes;
    const lower = file.readUInt16LE(start - 4);
    const upper = file.readUInt16LE(start - 2);
    if (lower < 2 || lower % 2 === 1 || lower > upper || start + upper > end) {
      throw new Damage(`page ${page} has wrong bounds`);
    }
    if (isLeaf) this.#count.leafPages += 1;
    else this.#count.branchPages += 1;
    let filled = 0;
    for (let index = 0; index < lower / 2; index++) {
      const offset = file.readUInt16LE(start + index * 2);
      const node = start + offset;
      if (offset < upper || node + NODE_BYTES > end) {
        throw new Damage(`page ${page} has an entry in a wrong place`);
      }
      filled += isLeaf
        ? this.#readLeafNode(page, node, end)
        : this.#readBranchNode(page, node, end, index, depth);
    }
    if (start + upper + filled !== end) throw new Damage(`page ${page} has holes or overlaps`);
  }

  /** Returns how many bytes of the page the node takes. */
  #readBranchNode(page: number, node: number, end: number, index: number, depth: number): number {
    const file = this.#file;
    const data = node + NODE_BYTES + file.readUInt16LE(node + 6);
    if (data > end) throw new Damage(`page ${page} has an entry that leaves it`);
    if (index > 0) {
      const key = node + NODE_BYTES;
      const [last, lastEnd] = [this.#last, this.#lastEnd];
      if (last > 0 && this.#compare(file, last, lastEnd, key, data) >= 0) this.#failOrder();
      this.#least = key;
      this.#leastEnd = data;
    }
    this.#readPage(readChild(file, node), depth - 1);
    return roundUp(data - node);
  }

  #readLeafNode(page: number, node: number, end: number): number {
    const file = this.#file;
    const size = file.readUInt32LE(node);
    const flags = file.readUInt16LE(node + 4);
    const data = node + NODE_BYTES + file.readUInt16LE(node + 6);
    const isBig = flags === BIG;
    if (flags !== 0 && !isBig) throw new Damage(`page ${page} has a record of an unknown kind`);
    const next = data + (isBig ? BIG_BYTES : size);
    if (next > end) throw new Damage(`page ${page} has a record that leaves it`);
    const from = isBig ? this.#enterValue(page, data, size) : data;
    this.#checkOrder(node + NODE_BYTES, data);
    this.#count.entries += 1;
    this.#visit(node + NODE_BYTES, data, from, from + size);
    return roundUp(next - node);
  }

  #enterValue(page: number, data: number, size: number): number {
    const pages = readPageNumber(this.#file, data + 16);
    if (HEADER_BYTES + size > pages * this.#meta.pageBytes) {
      throw new Damage(`page ${page} has a record of ${size} bytes on ${pages} pages`);
    }
    this.#count.overflowPages += pages;
    return this.#enterPage(readPageNumber(this.#file, data), pages, OVERFLOW) + HEADER_BYTES;
  }

  #checkOrder(key: number, end: number): void {
    const file = this.#file;
    if (this.#last > 0 && this.#compare(file, this.#last, this.#lastEnd, key, end) >= 0) {
      this.#failOrder();
    }
    if (this.#least > 0 && this.#compare(file, this.#least, this.#leastEnd, key, end) > 0) {
      this.#failOrder();
    }
    this.#last = key;
    this.#lastEnd = end;
  }

  #failOrder(): never {
    throw new Damage(`the tree of its ${this.#name} is out of order`);
  }

  /** Checks a page (or the first of several) and returns its offset. */
  #enterPage(page: number, pages: number, kind: number): number {
    const file = this.#file;
    const { pageBytes, lastPage } = this.#meta;
    const at = page * pageBytes;
    if (page + pages - 1 > lastPage || at + pages * pageBytes > file.length) {
      throw new Damage(`page ${page} is missing, the file ends after ${file.length} bytes`);
    }
    if (readPageNumber(file, at) !== page || (file.readUInt16LE(at + 18) & KIND_MASK) !== kind) {
      throw new Damage(`page ${page} was overwritten`);
    }
    for (let each = page; each < page + pages; each++) {
      if (this.#used[each] === 1) throw new Damage(`page ${each} is used twice`);
      this.#used[each] = 1;
    }
    return at;
  }
}

function readChild(file: Buffer, node: number): number {
  return file.readUInt32LE(node) + file.readUInt16LE(node + 4) * 2 ** 32;
}

/** Entries begin at even offsets. */
function roundUp(bytes: number): number {
  return bytes + (bytes % 2);
}

/**
 * A list is its length, followed by page numbers. A negative number -n means that the next number stands for
 * n consecutive pages.
 */
function checkFreePages(list: Buffer, used: Uint8Array, lastPage: number): void {
  const length = list.length < 8 ? 0 : Math.min(readPageNumber(list, 0), list.length / 8 - 1);
  let run = 1;
  for (let index = 1; index <= length; index++) {
    const entry = Number(list.readBigInt64LE(index * 8));
    if (entry < 0) {
      run = -entry;
    } else if (entry > 0) {
      const taken = used.subarray(entry, entry + run).indexOf(1);
      if (taken >= 0) throw new Damage(`page ${entry + taken} is in use, and listed as free`);
      if (entry + run - 1 > lastPage) throw new Damage(`page ${entry} is listed as free`);
      run = 1;
    }
  }
}

function compareBytes(file: Buffer, a: number, aEnd: number, b: number, bEnd: number): number {
  const length = Math.min(aEnd - a, bEnd - b);
  for (let at = 0; at < length; at++) {
    const difference = (file[a + at] ?? 0) - (file[b + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return aEnd - a - (bEnd - b);
}

function compareIntegers(file: Buffer, a: number, aEnd: number, b: number, bEnd: number): number {
  if (aEnd - a !== 8 || bEnd - b !== 8) {
    throw new Damage('its list of free pages has a wrong key');
  }
  return readPageNumber(file, a) - readPageNumber(file, b);
}
