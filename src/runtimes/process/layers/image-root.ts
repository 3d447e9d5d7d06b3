/**
 * The folder that an image is unpacked into, and the only way from a path of the image to a path of
 * this machine.
 *
 * Every name but the last is looked up here, one by one, because the kernel would follow links out of
 * the root: a link to /etc means ROOT/etc, and `..` at the root is the root. What comes out is a path
 * whose folders are all real folders at that moment. Entries are performed one after the other, and
 * each is looked up when its turn comes, so a link that an earlier entry made is seen.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ImagePath } from './layer-entry.ts';

/** As Linux has it. */
const LINKS_MAX = 40;
/** Links can make a path longer than any name in the archive; looking up blocks, so it ends. */
const STEPS_MAX = 4096;
const IMPLIED_FOLDER_MODE = 0o755;

export class ImageRoot {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where a path from `find` or `make` is on this machine. */
  onDisk(inside: ImagePath): string {
    return path.join(this.#root, ...inside);
  }

  /** The folder that a path leads to, free of links. Undefined: there is none. */
  find(folder: ImagePath): ImagePath | undefined {
    const { real, missing } = this.#walk(folder);
    return missing.length === 0 ? real : undefined;
  }

  /** As `find`, and makes what is missing. */
  async make(folder: ImagePath): Promise<ImagePath> {
    const { real, missing } = this.#walk(folder);
    for (const name of missing) {
      real.push(name);
      // Not by the mode of mkdir alone, from which the umask takes away.
      await mkdir(this.onDisk(real));
      await chmod(this.onDisk(real), IMPLIED_FOLDER_MODE);
    }
    return real;
  }

  /**
   * What is at a path from `find` or `make`, or at a name below it; a link is not followed. Synchronous:
   * to ask for one name takes less time than to wait for another thread.
   */
  look(inside: ImagePath): Stats | undefined {
    return lstatSync(this.onDisk(inside), { throwIfNoEntry: false });
  }

  #walk(folder: ImagePath): { readonly real: string[]; readonly missing: readonly string[] } {
    const real: string[] = [];
    const missing: string[] = [];
    const waiting = folder.toReversed();
    let links = 0;
    let steps = 0;
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (++steps > STEPS_MAX) throw new Error(`the path /${folder.join('/')} is too long`);
      if (name === '..') {
        if (missing.pop() === undefined) real.pop();
        continue;
      }
      const found = missing.length > 0 ? undefined : this.look([...real, name]);
      if (found === undefined) missing.push(name);
      else if (found.isDirectory()) real.push(name);
      else if (!found.isSymbolicLink()) {
        throw new Error(`/${[...real, name].join('/')} is in the way: it is not a folder`);
      } else {
        if (++links > LINKS_MAX) throw new Error(`/${folder.join('/')} has too many links`);
        const target = readlinkSync(this.onDisk([...real, name]));
        if (target.startsWith('/')) real.length = 0;
        waiting.push(...partsOf(target).toReversed());
      }
    }
    return { real, missing };
  }
}

function partsOf(target: string): string[] {
  return target.split('/').filter((part) => part !== '' && part !== '.');
}
