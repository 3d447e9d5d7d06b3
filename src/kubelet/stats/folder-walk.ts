/**
 * Counts the disk usage of a folder, a little at a time.
 *
 *     begin ──> advance ──(time limit)──> advance ──> … ──> finished: bytes and inodes
 *
 * A volume may have millions of files, so the walk reads folders in chunks, inspects a few files at once,
 * and stops when its caller says so; it continues later where it stopped. The size on disk counts:
 * allocated blocks, not lengths, so a sparse file counts only what was written.
 *
 * Invariants:
 *   1. A file with several names counts once.
 *   2. Links are not followed, and mounted file systems are not entered.
 *   3. A container that replaces a folder by a link meanwhile cannot lead the walk out of the volume: a
 *      folder is entered only if it is still the inode that its parent listed.
 *   4. Files that are removed meanwhile, and folders that this user may not read, are no errors.
 *   5. At most one folder is open at a time.
 */
import type { BigIntStats, Dir } from 'node:fs';
import path from 'node:path';
import { OpenFolder } from '../volumes/open-folder.ts';

interface Waiting {
  readonly path: string;
  readonly inode: bigint;
}

interface Opened {
  readonly folder: OpenFolder;
  readonly entries: Dir;
}

/** Names that are inspected together: enough to keep the disk busy, few enough not to block others. */
const BATCH = 32;
const BYTES_PER_BLOCK = 512n;

export class FolderWalk {
  readonly #device: bigint;
  readonly #waiting: Waiting[];
  /** Inodes with several names. */
  readonly #linked = new Set<bigint>();
  #opened: Opened | null = null;
  #bytes: bigint;
  #inodes = 1;

  private constructor(root: string, { dev, ino, blocks }: BigIntStats) {
    this.#device = dev;
    this.#bytes = blocks * BYTES_PER_BLOCK;
    this.#waiting = [{ path: root, inode: ino }];
  }

  /** Null: there is no such folder, or it may not be read. */
  static async begin(root: string): Promise<FolderWalk | null> {
    const folder = await OpenFolder.open(root).catch(() => null);
    if (!folder) return null;
    try {
      return new FolderWalk(root, await folder.identity());
    } finally {
      await folder.close();
    }
  }

  get bytes(): number {
    return Number(this.#bytes);
  }

  get inodes(): number {
    return this.#inodes;
  }

  /** True: everything is counted. False: `isOver` has ended it, and it can be continued. */
  async advance(isOver: () => boolean): Promise<boolean> {
    for (;;) {
      this.#opened ??= await this.#openNext();
      if (!this.#opened) return true;
      const names = await this.#names(this.#opened.entries);
      if (names.length === 0) await this.#close();
      else await this.#count(this.#opened.folder, names);
      if (isOver()) return this.#opened === null && this.#waiting.length === 0;
    }
  }

  /** Gives up: the rest stays uncounted. */
  async stop(): Promise<void> {
    this.#waiting.length = 0;
    await this.#close();
  }

  async #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.entries.close();
    await opened?.folder.close();
  }

  async #openNext(): Promise<Opened | null> {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const folder = await OpenFolder.open(next.path).catch(() => null);
      if (!folder) continue;
      const { dev, ino } = await folder.identity();
      const isSame = dev === this.#device && ino === next.inode;
      const entries = isSame ? await folder.entries(BATCH).catch(() => null) : null;
      if (entries) return { folder, entries };
      await folder.close();
    }
    return null;
  }

  async #names(entries: Dir): Promise<readonly string[]> {
    const names: string[] = [];
    while (names.length < BATCH) {
      const entry = await entries.read().catch(() => null);
      if (!entry) break;
      names.push(entry.name);
    }
    return names;
  }

  async #count(folder: OpenFolder, names: readonly string[]): Promise<void> {
    const found = await Promise.all(
      names.map((name) => folder.inspectExactly(name).catch(() => null)),
    );
    for (const [index, stats] of found.entries()) {
      if (!stats || stats.dev !== this.#device || this.#isKnown(stats)) continue;
      this.#bytes += stats.blocks * BYTES_PER_BLOCK;
      this.#inodes += 1;
      if (!stats.isDirectory()) continue;
      this.#waiting.push({ path: path.join(folder.path, names[index] ?? ''), inode: stats.ino });
    }
  }

  #isKnown(stats: BigIntStats): boolean {
    if (stats.nlink < 2n || stats.isDirectory()) return false;
    if (this.#linked.has(stats.ino)) return true;
    this.#linked.add(stats.ino);
    return false;
  }
}
