/**
 * Holds a folder open, so that podkeep always accesses the content of this folder, even if a container puts
 * another folder or a link in its place.
 *
 * podkeep accesses the content through the open file (`/proc/self/fd/N/name`), one name at a time, and does
 * not follow links. So if a container replaces a folder by a link while podkeep walks through its volume, the
 * walk continues in the folder that was opened. Without /proc the plain path is used; then only a link that
 * already exists is noticed.
 */
import { constants, existsSync, type Stats } from 'node:fs';
import { chmod, lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Opens a name without access to its content. Linux only; Node does not list it. */
const O_PATH = process.platform === 'linux' ? 0x20_0000 : 0;
const NO_LINK = constants.O_NOFOLLOW | constants.O_DIRECTORY;
const HAS_PROC = existsSync('/proc/self/fd');

/** A container may create a file name that is not valid UTF-8; then it is a Buffer. */
export type FileName = string | Buffer;

export class OpenFolder {
  /** The plain path, for messages and for mounts. */
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(folder: string, handle: FileHandle) {
    this.path = folder;
    this.#handle = handle;
  }

  /** The folder itself may not be a link; the folders above it are trusted. */
  static async open(folder: string): Promise<OpenFolder> {
    return new OpenFolder(folder, await open(folder, constants.O_RDONLY | NO_LINK));
  }

  /** The path of a name in this folder, valid as long as the folder is open. */
  at(name: string): string;
  at(name: FileName): string | Buffer;
  at(name: FileName): string | Buffer {
    if (typeof name !== 'string') return Buffer.concat([Buffer.from(`${this.#self}/`), name]);
    return HAS_PROC ? `/proc/self/fd/${this.#handle.fd}/${name}` : path.join(this.path, name);
  }

  /** The path of this folder for other processes, valid as long as the folder is open. */
  get link(): string {
    return linkTo(this.#handle, this.path);
  }

  /** If the folder is not readable, podkeep, its owner, makes it readable first. */
  async child(name: FileName): Promise<OpenFolder> {
    const flags = constants.O_RDONLY | NO_LINK;
    const full = path.join(this.path, name.toString());
    try {
      return new OpenFolder(full, await open(this.at(name), flags));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
      await this.changeMode(name, () => 0o700);
      return new OpenFolder(full, await open(this.at(name), flags));
    }
  }

  /** Without following a link. */
  inspect(name: FileName): Promise<Stats> {
    return lstat(this.at(name));
  }

  stat(): Promise<Stats> {
    return this.#handle.stat();
  }

  async names(): Promise<readonly FileName[]> {
    const names = await readdir(this.#self, { encoding: 'buffer' });
    return names.map((bytes) => {
      const text = bytes.toString();
      return Buffer.from(text).equals(bytes) ? text : bytes;
    });
  }

  get #self(): string {
    return HAS_PROC ? `/proc/self/fd/${this.#handle.fd}` : this.path;
  }

  /** Changes the mode of the entry that has this name now, and never of the target of a link. */
  async changeMode(name: FileName, change: (mode: number) => number): Promise<void> {
    const handle = await this.openName(name);
    try {
      const stats = await handle.stat();
      if (stats.isSymbolicLink()) return;
      const target = HAS_PROC ? `/proc/self/fd/${handle.fd}` : this.at(name);
      const next = change(stats.mode & 0o7777);
      if (next !== (stats.mode & 0o7777)) await chmod(target, next);
    } finally {
      await handle.close();
    }
  }

  /** Opens the entry itself, whether it is a file, a socket or a link. */
  openName(name: FileName): Promise<FileHandle> {
    return open(this.at(name), O_PATH | constants.O_NOFOLLOW);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** The path by which another process reaches an open file, as long as it is open. */
export function linkTo(handle: FileHandle, plainPath: string): string {
  return HAS_PROC ? `/proc/${process.pid}/fd/${handle.fd}` : plainPath;
}
