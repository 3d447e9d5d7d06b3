/**
 * Reserves disk space, so that LMDB never runs out of it in the middle of a write.
 *
 * On a full disk LMDB's library writes the error message to a buffer that is too short (`mdb_page_flush` in
 * lmdb 3.5), which may corrupt the heap. So the file is kept longer than needed: before each transaction,
 * zeros are written for all pages that it could need, and a full disk causes an ordinary error here. Besides,
 * syncing writes to existing blocks is faster than growing a file.
 */
import { closeSync, fstatSync, openSync, readSync, write as writeCallback } from 'node:fs';
import { promisify } from 'node:util';
import { HEADER_BYTES, META_PAGES_BYTES_MAX, readMeta, type Meta } from './meta-page.ts';

const write = promisify(writeCallback);

/** The size of a transaction. */
export interface Work {
  readonly valueBytes: readonly number[];
  readonly removals: number;
}

/** The file grows in steps of this size, so that it need not grow often. */
const STEP_BYTES = 2 ** 20;
/** What a record takes in its page in addition to its value. */
const ENTRY_BYTES = 64;
const PAGES_MIN = 32;

export class Reserve {
  readonly #descriptor: number;
  readonly #head = Buffer.alloc(META_PAGES_BYTES_MAX);

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r+');
  }

  /** Rejects if the disk does not have the space. */
  async ensure(work: Work): Promise<void> {
    const length = readSync(this.#descriptor, this.#head, 0, this.#head.length, 0);
    const meta = readMeta(this.#head.subarray(0, length));
    const needed = (meta.lastPage + 1 + pagesFor(work, meta)) * meta.pageBytes;
    const { size } = fstatSync(this.#descriptor);
    if (size >= needed) return;
    try {
      await this.#fill(size, Math.ceil(needed / STEP_BYTES) * STEP_BYTES);
    } catch {
      // There may be just enough space for this transaction.
      await this.#fill(fstatSync(this.#descriptor).size, needed);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  async #fill(from: number, to: number): Promise<void> {
    const zeros = Buffer.alloc(Math.max(Math.min(to - from, STEP_BYTES), 0));
    for (let at = from; at < to;) {
      const length = Math.min(zeros.length, to - at);
      const { bytesWritten } = await write(this.#descriptor, zeros, 0, length, at);
      at += bytesWritten;
    }
  }
}

/**
 * The most pages that a transaction can take: LMDB copies every page that it changes, with all its parents,
 * and writes the list of free pages.
 */
function pagesFor({ valueBytes, removals }: Work, { pageBytes, main, free }: Meta): number {
  const records = valueBytes.length;
  // A value of up to half a page is stored with its key, and a page may be half empty. A larger value has
  // overflow pages.
  const small = valueBytes.filter((bytes) => bytes <= pageBytes / 2);
  const large = valueBytes.filter((bytes) => bytes > pageBytes / 2 - ENTRY_BYTES);
  const entries = Math.ceil((2 * (sum(small) + records * ENTRY_BYTES)) / pageBytes);
  const values = sum(large.map((bytes) => Math.ceil((bytes + HEADER_BYTES) / pageBytes)));
  const copied = Math.min(
    (records + removals) * (main.depth + 1),
    main.branchPages + main.leafPages,
  );
  const freed = Math.ceil(((copied + main.overflowPages) * 8) / pageBytes);
  const lists = free.branchPages + free.leafPages + free.overflowPages;
  return PAGES_MIN + values + entries + copied + freed + lists;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
