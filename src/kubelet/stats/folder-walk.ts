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
import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Turn } from '../../ports/clock.ts';
import { WalkedFolder } from './walked-folder.ts';

interface Subfolder {
  readonly name: string;
  readonly inode: bigint;
}

/** A folder between the root of the walk and the open folder, both included. */
interface Level extends Subfolder {
  /** Subfolders that the walk has not entered yet. */
  readonly waiting: Subfolder[];
}

/** Names that are inspected in one step. */
const BATCH = 32;
/** Steps between two turns of the event loop: a millisecond or two. */
const STEPS_PER_TURN = 16;
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
  #folder: WalkedFolder | null;
  #bytes: bigint;
  #inodes = 1;

  private constructor(root: string, folder: WalkedFolder) {
    const { dev, ino, blocks } = folder.identity;
    this.#root = root;
    this.#device = dev;
    this.#bytes = blocks * BYTES_PER_BLOCK;
    this.#folder = folder;
    this.#levels.push({ name: '', inode: ino, waiting: [] });
    folder.list(BATCH);
  }

  /** Null: there is no such folder, or it may not be read. The walk must be advanced to its end or stopped. */
  static begin(root: string): FolderWalk | null {
    const folder = WalkedFolder.open(root);
    return folder && new FolderWalk(root, folder);
  }

  get bytes(): number {
    return Number(this.#bytes);
  }

  get inodes(): number {
    return this.#inodes;
  }

  /** True: everything is counted. False: `isOver` has ended it, and it can be continued. */
  async advance(isOver: () => boolean, turn?: Turn): Promise<boolean> {
    for (let steps = 1; this.#folder; steps += 1) {
      if (this.#folder.hasNames) this.#read(this.#folder);
      else this.#enterNext(this.#folder);
      if (isOver()) break;
      if (steps % STEPS_PER_TURN === 0) await turn?.();
    }
    return this.#folder === null;
  }

  /** Gives up: the rest stays uncounted. */
  stop(): void {
    this.#levels.length = 0;
    this.#open(null);
  }

  /** Reads the next names of the open folder. */
  #read(folder: WalkedFolder): void {
    for (const name of folder.next(BATCH)) this.#count(folder, name);
    if (!folder.hasNames && this.#levels.at(-1)?.waiting.length === 0) this.#goUp(folder);
  }

  #count(folder: WalkedFolder, name: string): void {
    const stats = folder.inspect(name);
    if (!stats || stats.dev !== this.#device || this.#isKnown(stats)) return;
    this.#bytes += stats.blocks * BYTES_PER_BLOCK;
    this.#inodes += 1;
    if (stats.isDirectory()) this.#levels.at(-1)?.waiting.push({ name, inode: stats.ino });
  }

  #isKnown(stats: BigIntStats): boolean {
    if (stats.nlink < 2n || stats.isDirectory()) return false;
    if (this.#linked.has(stats.ino)) return true;
    this.#linked.add(stats.ino);
    return false;
  }

  /** Enters a subfolder of the open folder, or returns to one above that has more of them. */
  #enterNext(folder: WalkedFolder): void {
    const next = this.#levels.at(-1)?.waiting.pop();
    if (!next) {
      this.#goUp(folder);
      return;
    }
    const child = this.#ifSame(folder.enter(next.name), next.inode);
    if (!child) return;
    this.#levels.push({ ...next, waiting: [] });
    child.list(BATCH);
    this.#open(child);
  }

  #goUp(folder: WalkedFolder): void {
    let levelsUp = 0;
    while (this.#levels.at(-1)?.waiting.length === 0) {
      this.#levels.pop();
      levelsUp += 1;
    }
    for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) {
      const above = this.#reopen(folder, levelsUp, level.inode);
      if (above) {
        this.#open(above);
        return;
      }
      // A container has moved the folder away; the rest of it stays uncounted.
      this.#levels.pop();
      levelsUp += 1;
    }
    this.#open(null);
  }

  /** The folder so many levels above. Null: it is somewhere else by now. */
  #reopen(below: WalkedFolder, levelsUp: number, inode: bigint): WalkedFolder | null {
    const byParent = this.#ifSame(climb(below, levelsUp), inode);
    if (byParent) return byParent;
    const full = path.join(this.#root, ...this.#levels.map(({ name }) => name));
    if (full.length > PATH_LENGTH_MAX) return null;
    return this.#ifSame(WalkedFolder.open(full), inode);
  }

  /** Closes a folder that is not the expected one. */
  #ifSame(folder: WalkedFolder | null, inode: bigint): WalkedFolder | null {
    const { dev, ino } = folder?.identity ?? { dev: -1n, ino: -1n };
    if (dev === this.#device && ino === inode) return folder;
    folder?.close();
    return null;
  }

  #open(folder: WalkedFolder | null): void {
    const old = this.#folder;
    this.#folder = folder;
    old?.close();
  }
}

function climb(below: WalkedFolder, levelsUp: number): WalkedFolder | null {
  const count = Math.min(levelsUp, LEVELS_UP_MAX);
  const above = below.enter(Array.from({ length: count }, () => '..').join('/'));
  if (!above || levelsUp === count) return above;
  try {
    return climb(above, levelsUp - count);
  } finally {
    above.close();
  }
}
