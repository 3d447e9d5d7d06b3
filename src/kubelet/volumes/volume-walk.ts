/**
 * Opens a path in a volume without leaving the volume, whatever links a container has put there.
 *
 * It starts at the volume's folder, which it holds open, and takes one name of the path at a time. It
 * resolves links itself, name by name: `..` leads up to the volume's folder at most, and an absolute path
 * must be inside the volume.
 *
 * The walk ends with an open file or folder, which stays the same whatever happens to its name.
 */
import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { linkTo, OpenFolder } from './open-folder.ts';
import { isMissing, volumeUnusable } from './volume-errors.ts';

const LINKS_MAX = 40;
/** Permissions, and the setuid, setgid and sticky bits: files in a volume with fsGroup keep its group. */
const MODE_BITS = 0o7777;

export class VolumeWalk {
  /** From the volume's folder to the current one. */
  readonly #folders: OpenFolder[];
  /** The mode of missing folders, which are created; null: they are not. */
  readonly #mode: number | null;
  /** The last name, if it is no folder. */
  #file: { readonly name: string; readonly handle: FileHandle } | null = null;
  #links = 0;

  private constructor(root: OpenFolder, mode: number | null) {
    this.#folders = [root];
    this.#mode = mode;
  }

  /** The volume's own name may be a link. Missing folders are created if `makesMissing`. */
  static async begin(volumePath: string, makesMissing: boolean): Promise<VolumeWalk> {
    const root = await OpenFolder.open(await realpath(volumePath));
    return new VolumeWalk(root, makesMissing ? (await root.stat()).mode & MODE_BITS : null);
  }

  get path(): string {
    const { path: folder } = this.#here;
    return this.#file ? path.join(folder, this.#file.name) : folder;
  }

  /** The path of the result for another process, valid as long as the walk is not closed. */
  get link(): string {
    return this.#file ? linkTo(this.#file.handle, this.path) : this.#here.link;
  }

  get isFolder(): boolean {
    return this.#file === null;
  }

  async go(subPath: string): Promise<void> {
    const names = subPath.split('/');
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (name === '' || name === '.') continue;
      if (this.#file) throw astray(`${this.path} is not a directory`);
      if (name === '..') await this.#up();
      else names.unshift(...(await this.#step(name)));
    }
  }

  /** The text of the file at the end of the walk, if it is a regular file and not too long. */
  async readText(bytesMax: number): Promise<string> {
    const { O_RDONLY, O_NONBLOCK } = constants;
    const handle = await open(this.link, O_RDONLY | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw astray(`${this.path} is not a file`);
      if (stats.size > bytesMax) throw astray(`${this.path} is longer than ${bytesMax} bytes`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#file?.handle.close();
    for (const folder of this.#folders) await folder.close();
  }

  get #here(): OpenFolder {
    const folder = this.#folders.at(-1);
    if (!folder) throw astray('the walk has ended');
    return folder;
  }

  async #up(): Promise<void> {
    if (this.#folders.length === 1) throw astray(`${this.path} has a link that leaves the volume`);
    await this.#folders.pop()?.close();
  }

  /** Enters one name. Returns the names in a link's target, which are walked next; for other entries none. */
  async #step(name: string): Promise<readonly string[]> {
    const here = this.#here;
    const stats = await here.inspect(name).catch(async (error: unknown) => {
      if (!isMissing(error) || this.#mode === null) throw error;
      return makeFolder(here, name, this.#mode);
    });
    if (stats.isSymbolicLink()) return this.#follow(await readlink(here.at(name)));
    if (stats.isDirectory()) this.#folders.push(await here.child(name));
    else this.#file = { name, handle: await this.#openFile(here, name) };
    return [];
  }

  /**
   * Opens the file and checks it again: since the first check a container may have replaced it by a link,
   * whose mount could lead anywhere.
   */
  async #openFile(here: OpenFolder, name: string): Promise<FileHandle> {
    const handle = await here.openName(name);
    const stats = await handle.stat();
    if (!stats.isSymbolicLink() && !stats.isDirectory()) return handle;
    await handle.close();
    throw astray(`${path.join(this.path, name)} was replaced while it was opened`);
  }

  async #follow(target: string): Promise<readonly string[]> {
    this.#links += 1;
    if (this.#links > LINKS_MAX) throw astray(`${this.path} has too many links`);
    if (!target.startsWith('/')) return target.split('/');
    const root = this.#folders[0]?.path ?? '';
    const isInside = target === root || target.startsWith(`${root}/`);
    if (!isInside) throw astray(`${this.path} has a link that leaves the volume`);
    while (this.#folders.length > 1) await this.#up();
    return target.slice(root.length).split('/');
  }
}

/** Creates the folder with the mode of the volume itself, so that the volume's group can use it. */
async function makeFolder(here: OpenFolder, name: string, mode: number) {
  await mkdir(here.at(name), { mode });
  await here.changeMode(name, () => mode);
  return here.inspect(name);
}

function astray(reason: string) {
  return volumeUnusable({ reason });
}
