/**
 * A folder that is held open by a file descriptor, for synchronous steps in it.
 *
 * As with OpenFolder, of which this is the synchronous form, a name in the folder is reached through the
 * descriptor (`/proc/self/fd/N/name`): a container that replaces a folder by a link cannot lead a step
 * out of the volume. Without /proc the plain path is used, and only a link that already exists is noticed.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
} from 'node:fs';
import path from 'node:path';
import type { FileName } from '../open-folder.ts';
import { codeOf } from '../volume-errors.ts';

/** Opens a name without access to its content. Linux only; Node.js does not list it. */
const O_PATH = process.platform === 'linux' ? 0x20_0000 : 0;
const FOLDER = constants.O_NOFOLLOW | constants.O_DIRECTORY;
const HAS_PROC = existsSync('/proc/self/fd');
const OWNER_MODE = 0o700;

export class FolderDescriptor {
  /** The path by its names, for messages. */
  readonly path: string;
  readonly #fd: number;

  private constructor(folder: string, fd: number) {
    this.path = folder;
    this.#fd = fd;
  }

  /** The last name may not be a link; those above it are trusted. */
  static open(folder: string): FolderDescriptor {
    return new FolderDescriptor(folder, openSync(folder, constants.O_RDONLY | FOLDER));
  }

  /** The number of the file system. */
  get device(): number {
    return fstatSync(this.#fd).dev;
  }

  /** The path of a name in this folder, valid while the folder is open. */
  at(name: FileName): string | Buffer {
    if (typeof name === 'string') return `${this.#self}/${name}`;
    return Buffer.concat([Buffer.from(`${this.#self}/`), name]);
  }

  /** A folder that its owner may not read is made readable first: podkeep removes it anyway. */
  child(name: FileName): FolderDescriptor {
    const full = path.join(this.path, name.toString());
    const open = (): number => openSync(this.at(name), constants.O_RDONLY | FOLDER);
    try {
      return new FolderDescriptor(full, open());
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error;
      this.#openUp(name);
      return new FolderDescriptor(full, open());
    }
  }

  /** A name that is not valid UTF-8 is a Buffer. */
  names(): readonly FileName[] {
    return readdirSync(this.#self, { encoding: 'buffer' }).map((bytes) => {
      const text = bytes.toString();
      return Buffer.from(text).equals(bytes) ? text : bytes;
    });
  }

  /** Gives the owner all rights to this folder. */
  makeWritable(): void {
    const mode = fstatSync(this.#fd).mode & 0o7777;
    if ((mode & OWNER_MODE) !== OWNER_MODE) fchmodSync(this.#fd, mode | OWNER_MODE);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Changes the mode of the folder that the name stands for now, and never of the target of a link. */
  #openUp(name: FileName): void {
    const fd = openSync(this.at(name), O_PATH | FOLDER);
    try {
      chmodSync(HAS_PROC ? `/proc/self/fd/${fd}` : this.at(name), OWNER_MODE);
    } finally {
      closeSync(fd);
    }
  }

  get #self(): string {
    return HAS_PROC ? `/proc/self/fd/${this.#fd}` : this.path;
  }
}
