/**
 * Counts the disk usage of a folder, a little at a time.
 *
 *     begin ──> advance ──(time limit)──> advance ──> … ──> finished: bytes and inodes
 *
 * A volume may have millions of files, so the walk reads folders in chunks, inspects a few files at once, and
 * stops when its caller asks for it; it can be continued later. The size on disk counts: allocated blocks,
 * not lengths, so a sparse file counts only what was written.
 *
 * Invariants:
 *   1. A file with several names counts once.
 *   2. Links are not followed, and mounted file systems are not entered.
 *   3. A container that replaces a folder by a link meanwhile cannot lead the walk out of the volume: a
 *      folder is entered only if it is still the inode that its parent listed.
 *   4. Files that are removed meanwhile, and folders that podkeep has no permission to read, are no errors.
 *   5. At most one folder is open at a time.
 *   6. A tree may be deeper than the longest possible path: the walk goes down by names and up by `..`, and
 *      continues above only in the very folder that it came from.
 */
import type { BigIntStats, Dir } from 'node:fs';
import path from 'node:path';
import { OpenFolder } from '../volumes/open-folder.ts';

interface Subfolder {
  readonly name: string;
  readonly inode: bigint;
}

/** A folder between the root of the walk and the open folder, both included. */
interface Level extends Subfolder {
  /** Subfolders that the walk has not entered yet. */
  readonly waiting: Subfolder[];
}

/** Names that are inspected together: enough to keep the disk busy, few enough not to block others. */
const BATCH = 32;
const BYTES_PER_BLOCK = 512n;
/** Longer paths are refused by the kernel. */
const PATH_LENGTH_MAX = 4000;
/** How many levels one path of `..` goes up. */
const LEVELS_UP_MAX = 1000;

export class FolderWalk {
  readonly #root: string;
  readonly #device: bigint;
  readonly #levels: Level[] = [];
  /** Inodes with several names. */
  readonly #linked = new Set<bigint>();
  /** The folder of the last level. Null: the walk has ended. */
  #folder: OpenFolder | null;
  /** The names of the open folder that are still to be read. Null: all were read. */
  #entries: Dir | null;
  #bytes: bigint;
  #inodes = 1;

  private constructor(folder: OpenFolder, { dev, ino, blocks }: BigIntStats, entries: Dir | null) {
    this.#root = folder.path;
    this.#device = dev;
    this.#bytes = blocks * BYTES_PER_BLOCK;
    this.#folder = folder;
    this.#entries = entries;
    this.#levels.push({ name: '', inode: ino, waiting: [] });
  }

  /** Null: there is no such folder, or it may not be read. The walk must be advanced to its end or stopped. */
  static async begin(root: string): Promise<FolderWalk | null> {
    const folder = await OpenFolder.open(root).catch(() => null);
    if (!folder) return null;
    try {
      return new FolderWalk(folder, await folder.identity(), await entriesOf(folder));
    } catch {
      await folder.close();
      return null;
    }
  }

  get bytes(): number {
    return Number(this.#bytes);
  }

  get inodes(): number {
    return this.#inodes;
  }

  /** True: everything is counted. False: `isOver` has stopped the walk, and it can be continued. */
  async advance(isOver: () => boolean): Promise<boolean> {
    while (this.#folder) {
      if (this.#entries) await this.#read(this.#folder, this.#entries);
      else await this.#enterNext(this.#folder);
      if (isOver()) break;
    }
    return this.#folder === null;
  }

  /** Gives up: the rest stays uncounted. */
  async stop(): Promise<void> {
    this.#levels.length = 0;
    await this.#open(null, null);
  }

  /** Reads the next names of the open folder. */
  async #read(folder: OpenFolder, entries: Dir): Promise<void> {
    const names: string[] = [];
    while (names.length < BATCH) {
      const entry = await entries.read().catch(() => null);
      if (!entry) break;
      names.push(entry.name);
    }
    await this.#count(folder, names);
    if (names.length === BATCH) return;
    this.#entries = null;
    await entries.close();
    if (this.#levels.at(-1)?.waiting.length === 0) await this.#goUp(folder);
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
      this.#levels.at(-1)?.waiting.push({ name: names[index] ?? '', inode: stats.ino });
    }
  }

  #isKnown(stats: BigIntStats): boolean {
    if (stats.nlink < 2n || stats.isDirectory()) return false;
    if (this.#linked.has(stats.ino)) return true;
    this.#linked.add(stats.ino);
    return false;
  }

  /** Enters a subfolder of the open folder, or returns to one above that has more of them. */
  async #enterNext(folder: OpenFolder): Promise<void> {
    const next = this.#levels.at(-1)?.waiting.pop();
    if (!next) {
      await this.#goUp(folder);
      return;
    }
    const child = await folder.enter(next.name).catch(() => null);
    if (!child || !(await this.#isSame(child, next.inode))) {
      await child?.close();
      return;
    }
    this.#levels.push({ ...next, waiting: [] });
    await this.#open(child, await entriesOf(child));
  }

  async #goUp(folder: OpenFolder): Promise<void> {
    let levelsUp = 0;
    while (this.#levels.at(-1)?.waiting.length === 0) {
      this.#levels.pop();
      levelsUp += 1;
    }
    while (this.#levels.length > 0) {
      const level = this.#levels.at(-1);
      const above = await this.#reopen(folder, levelsUp, level?.inode ?? 0n);
      if (above) {
        await this.#open(above, null);
        return;
      }
      // A container has moved the folder away; what is left of it stays uncounted.
      this.#levels.pop();
      levelsUp += 1;
    }
    await this.#open(null, null);
  }

  /** The folder so many levels above. Null: it is somewhere else by now. */
  async #reopen(below: OpenFolder, levelsUp: number, inode: bigint): Promise<OpenFolder | null> {
    const byParent = await climb(below, levelsUp).catch(() => null);
    if (byParent && (await this.#isSame(byParent, inode))) return byParent;
    await byParent?.close();
    const full = path.join(this.#root, ...this.#levels.map(({ name }) => name));
    if (full.length > PATH_LENGTH_MAX) return null;
    const byPath = await OpenFolder.open(full).catch(() => null);
    if (byPath && (await this.#isSame(byPath, inode))) return byPath;
    await byPath?.close();
    return null;
  }

  async #isSame(folder: OpenFolder, inode: bigint): Promise<boolean> {
    const { dev, ino } = await folder.identity();
    return dev === this.#device && ino === inode;
  }

  async #open(folder: OpenFolder | null, entries: Dir | null): Promise<void> {
    const [oldFolder, oldEntries] = [this.#folder, this.#entries];
    [this.#folder, this.#entries] = [folder, entries];
    await oldEntries?.close();
    await oldFolder?.close();
  }
}

/** Null: this user may not read it. */
function entriesOf(folder: OpenFolder): Promise<Dir | null> {
  return folder.entries(BATCH).catch(() => null);
}

async function climb(below: OpenFolder, levelsUp: number): Promise<OpenFolder> {
  const first = await below.parent(Math.min(levelsUp, LEVELS_UP_MAX));
  if (levelsUp <= LEVELS_UP_MAX) return first;
  try {
    return await climb(first, levelsUp - LEVELS_UP_MAX);
  } finally {
    await first.close();
  }
}
