/**
 * Writes the entries of one layer into the image root, as layer-entry.ts has decided.
 *
 * Invariants
 * 1. Nothing outside of the root is created, changed or removed. ImageRoot looks up the folders of a path;
 *    the last name is never followed: what is there is removed first, a file is opened exclusively, and modes
 *    and owners are set on open files or on the link itself.
 * 2. An entry replaces what was at its path. Only a folder over a folder keeps what is in it.
 * 3. Whiteouts remove what lower layers had, not what this layer has created.
 * 4. Folders get their times at the end of the layer: creating something in a folder changes its time.
 */
import { constants, fchmodSync, fchownSync, futimesSync } from 'node:fs';
import {
  lchown,
  link,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  rm,
  symlink,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import type { ImageRoot } from './image-root.ts';
import type { Attributes, ImagePath, LayerEntry } from './layer-entry.ts';
import { CreatedPaths } from './created-paths.ts';

type Bytes = AsyncIterable<Uint8Array>;
type Entry<Kind extends LayerEntry['kind']> = Extract<LayerEntry, { readonly kind: Kind }>;
export type PerformedEntry = Exclude<LayerEntry, Entry<'skipped' | 'refused'>>;

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const UNFINISHED_FILE_MODE = 0o600;
const UNFINISHED_FOLDER_MODE = 0o700;

export class LayerWriter {
  readonly #root: ImageRoot;
  readonly #created = new CreatedPaths();
  readonly #folderTimes = new Map<string, { readonly path: ImagePath; readonly seconds: number }>();

  constructor(root: ImageRoot) {
    this.#root = root;
  }

  async perform(entry: PerformedEntry, body: Bytes): Promise<void> {
    switch (entry.kind) {
      case 'folder':
        return this.#createFolder(entry);
      case 'file':
        return this.#createFile(entry, body);
      case 'symlink':
        return this.#createSymlink(entry);
      case 'hardLink':
        return this.#createHardLink(entry);
      case 'whiteout':
        return this.#whiteOut(entry.path);
      case 'opaque':
        return this.#makeOpaque(entry.folder);
    }
  }

  async finish(): Promise<void> {
    for (const { path, seconds } of this.#folderTimes.values()) {
      if (!this.#isStillFolder(path)) continue;
      await lutimes(this.#root.onDisk(path), seconds, seconds);
    }
  }

  async #createFolder({ path, attributes }: Entry<'folder'>): Promise<void> {
    const own = await this.#ownPath(path);
    const found = this.#root.look(own);
    const file = this.#root.onDisk(own);
    if (!found?.isDirectory()) {
      if (found) await unlink(file);
      await mkdir(file, UNFINISHED_FOLDER_MODE);
    }
    const handle = await open(file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      setOwnerAndMode(handle, attributes);
    } finally {
      await handle.close();
    }
    this.#created.add(own);
    const { mtimeSeconds: seconds } = attributes;
    if (seconds !== undefined) this.#folderTimes.set(own.join('/'), { path: own, seconds });
  }

  async #createFile({ path, sizeBytes, attributes }: Entry<'file'>, body: Bytes): Promise<void> {
    const own = await this.#vacate(path);
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const handle = await open(this.#root.onDisk(own), flags, UNFINISHED_FILE_MODE);
    try {
      if (sizeBytes > 0) await writeFile(handle, body);
      setOwnerAndMode(handle, attributes);
      const { mtimeSeconds: seconds } = attributes;
      if (seconds !== undefined) futimesSync(handle.fd, seconds, seconds);
    } finally {
      await handle.close();
    }
    this.#created.add(own);
  }

  async #createSymlink({ path, target, attributes }: Entry<'symlink'>): Promise<void> {
    const own = await this.#vacate(path);
    const file = this.#root.onDisk(own);
    await symlink(target, file);
    const { owner, mtimeSeconds: seconds } = attributes;
    if (owner) await lchown(file, owner.uid, owner.gid);
    if (seconds !== undefined) await lutimes(file, seconds, seconds);
    this.#created.add(own);
  }

  /** A hard link shares owner, mode and time with the file that it names. */
  async #createHardLink({ path, target }: Entry<'hardLink'>): Promise<void> {
    const folder = this.#root.find(target.slice(0, -1));
    const source = folder && [...folder, ...target.slice(-1)];
    const found = source && this.#root.look(source);
    if (!found) throw new Error(`it links to /${target.join('/')}, which is not in the image`);
    if (!found.isFile() && !found.isSymbolicLink()) {
      throw new Error(`it links to /${target.join('/')}, which is not a file`);
    }
    const parent = await this.#root.make(path.slice(0, -1));
    const own = [...parent, ...path.slice(-1)];
    if (own.join('/') !== source.join('/')) {
      await this.#remove(own);
      // Some systems follow a symbolic link that is the target of a hard link, so the symbolic link is copied
      // instead.
      if (found.isFile()) await link(this.#root.onDisk(source), this.#root.onDisk(own));
      else await symlink(await readlink(this.#root.onDisk(source)), this.#root.onDisk(own));
    }
    this.#created.add(own);
  }

  async #whiteOut(path: ImagePath): Promise<void> {
    const folder = this.#root.find(path.slice(0, -1));
    if (folder) await this.#removeLower([...folder, ...path.slice(-1)]);
  }

  async #makeOpaque(path: ImagePath): Promise<void> {
    const folder = this.#root.find(path);
    if (folder) await this.#removeLowerIn(folder);
  }

  async #removeLower(path: ImagePath): Promise<void> {
    if (!this.#created.has(path)) return this.#remove(path);
    const found = this.#root.look(path);
    if (found?.isDirectory()) await this.#removeLowerIn(path);
  }

  async #removeLowerIn(folder: ImagePath): Promise<void> {
    const names = await readdir(this.#root.onDisk(folder));
    for (const name of names) await this.#removeLower([...folder, name]);
  }

  /** The path of an entry. Creates missing folders above it. */
  async #ownPath(path: ImagePath): Promise<ImagePath> {
    return [...(await this.#root.make(path.slice(0, -1))), ...path.slice(-1)];
  }

  /** As `#ownPath`, but removes what is at the path. */
  async #vacate(path: ImagePath): Promise<ImagePath> {
    const own = await this.#ownPath(path);
    await this.#remove(own);
    return own;
  }

  /** Removes recursively. Links are removed, not followed. */
  async #remove(path: ImagePath): Promise<void> {
    const found = this.#root.look(path);
    if (!found) return;
    const file = this.#root.onDisk(path);
    await (found.isDirectory() ? rm(file, { recursive: true }) : unlink(file));
  }

  /** A later entry may have replaced this folder, or one above it, by a link. */
  #isStillFolder(path: ImagePath): boolean {
    try {
      return this.#root.find(path)?.join('/') === path.join('/');
    } catch {
      return false; // A file is in the way, or the links form a loop: it is no folder any more.
    }
  }
}

/**
 * Sets the owner first, because chown(2) clears setuid and setgid. Synchronous, because changing the inode of
 * an open file takes a tenth of the time of waiting for another thread.
 */
function setOwnerAndMode({ fd }: FileHandle, { owner, mode }: Attributes): void {
  if (owner) fchownSync(fd, owner.uid, owner.gid);
  fchmodSync(fd, mode);
}
