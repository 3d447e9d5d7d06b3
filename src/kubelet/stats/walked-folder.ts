/**
 * Holds a folder open while its disk usage is counted, and reads it with synchronous calls.
 *
 * As with OpenFolder, names are reached through the descriptor, so a container that replaces a folder by a link
 * cannot lead the walk elsewhere. The calls are synchronous, because each of them reads what is mostly cached,
 * and a tree of thousands of nested folders would otherwise wait for the event loop at each of them.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
  type BigIntStats,
  type Dir,
} from 'node:fs';
import path from 'node:path';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
const HAS_PROC = existsSync('/proc/self/fd');

export class WalkedFolder {
  readonly identity: BigIntStats;
  /** Only where there is no /proc: the path by which the folder was opened. */
  readonly #path: string;
  readonly #fd: number;
  /** Null: all names were read, or this user may not read them. */
  #entries: Dir | null = null;

  private constructor(folder: string, fd: number) {
    this.#path = HAS_PROC ? '' : folder;
    this.#fd = fd;
    this.identity = fstatSync(fd, { bigint: true });
  }

  /** Null: there is no such folder, it is a link, or this user may not read it. */
  static open(folder: string): WalkedFolder | null {
    try {
      return new WalkedFolder(folder, openSync(folder, FLAGS));
    } catch {
      return null;
    }
  }

  /** A folder in this one, or above it by `..`. */
  enter(name: string): WalkedFolder | null {
    return WalkedFolder.open(this.#at(name));
  }

  /** Begins to read the names. */
  list(bufferSize: number): void {
    try {
      this.#entries = opendirSync(this.#self, { bufferSize });
    } catch {
      this.#entries = null;
    }
  }

  /** The next names; fewer than `count`: there are no more. */
  next(count: number): readonly string[] {
    const names: string[] = [];
    while (names.length < count) {
      const name = this.#readName();
      if (name === null) break;
      names.push(name);
    }
    if (names.length < count) this.#endList();
    return names;
  }

  /** Whether there may be more names. */
  get hasNames(): boolean {
    return this.#entries !== null;
  }

  /** Without following a link. Null: it was removed. */
  inspect(name: string): BigIntStats | null {
    try {
      return lstatSync(this.#at(name), { bigint: true });
    } catch {
      return null;
    }
  }

  close(): void {
    this.#endList();
    closeSync(this.#fd);
  }

  #readName(): string | null {
    try {
      return this.#entries?.readSync()?.name ?? null;
    } catch {
      return null;
    }
  }

  #endList(): void {
    this.#entries?.closeSync();
    this.#entries = null;
  }

  #at(name: string): string {
    return HAS_PROC ? `${this.#self}/${name}` : path.join(this.#path, name);
  }

  get #self(): string {
    return HAS_PROC ? `/proc/self/fd/${this.#fd}` : this.#path;
  }
}
