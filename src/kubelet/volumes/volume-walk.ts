/**
 * A way through a volume that cannot leave it, whatever links a container has put there.
 *
 * The way is walked one name at a time from the volume's own folder, which is held open. A link is
 * followed only by walking on from where it stands: up at most to the volume's folder, and never through
 * a path of the node, unless that path leads back into the volume.
 *
 * The walk ends with an open file or folder, which stays the same whatever becomes of its name.
 */
import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { linkTo, OpenFolder } from './open-folder.ts';
import { isMissing, volumeUnusable } from './volume-errors.ts';

const LINKS_MAX = 40;

export class VolumeWalk {
  /** From the volume's folder to where we are. */
  readonly #folders: OpenFolder[];
  /** Of folders that are made on the way; null: none are. */
  readonly #mode: number | null;
  /** The last name, if it is no folder. */
  #file: { readonly name: string; readonly handle: FileHandle } | null = null;
  #links = 0;

  private constructor(root: OpenFolder, mode: number | null) {
    this.#folders = [root];
    this.#mode = mode;
  }

  /** The volume's own name may be a link. What is missing on the way is made if that is asked for. */
  static async begin(volumePath: string, makesMissing: boolean): Promise<VolumeWalk> {
    const root = await OpenFolder.open(await realpath(volumePath));
    return new VolumeWalk(root, makesMissing ? (await root.stat()).mode & 0o777 : null);
  }

  get path(): string {
    const { path: folder } = this.#here;
    return this.#file ? path.join(folder, this.#file.name) : folder;
  }

  /** For another process, as long as the walk is not closed. */
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

  /** The text at the end of the way, if a plain file is there that is not too long. */
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

  /** The names of a link, to be walked next; none for anything else. */
  async #step(name: string): Promise<readonly string[]> {
    const here = this.#here;
    const stats = await here.inspect(name).catch(async (error: unknown) => {
      if (!isMissing(error) || this.#mode === null) throw error;
      return makeFolder(here, name, this.#mode);
    });
    if (stats.isSymbolicLink()) return this.#follow(await readlink(here.at(name)));
    if (stats.isDirectory()) this.#folders.push(await here.child(name));
    else this.#file = { name, handle: await here.openName(name) };
    return [];
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

/** With the mode of the volume itself: its group shall be able to use what is made for it. */
async function makeFolder(here: OpenFolder, name: string, mode: number) {
  await mkdir(here.at(name), { mode });
  await here.changeMode(name, () => mode);
  return here.inspect(name);
}

function astray(reason: string) {
  return volumeUnusable({ reason });
}
