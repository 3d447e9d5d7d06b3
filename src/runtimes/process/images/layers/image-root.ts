/**
 * Converts paths of an image to paths of this machine, below the folder into which the image is unpacked. No
 * other code does this conversion.
 *
 * It looks up all names except the last, one after the other, because the kernel would follow links out of
 * the root: here a link to /etc means ROOT/etc, and `..` at the root is the root. All folders of the
 * resulting path are real folders at that moment. Entries are written one after the other, each looked up
 * just before, so that links which earlier entries created are seen.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ImagePath } from './layer-entry.ts';

/** The limit of Linux. */
const LINKS_MAX = 40;
/** Links can make a path longer than any name in the archive; the lookup blocks, so it is bounded. */
const STEPS_MAX = 4096;
const IMPLIED_FOLDER_MODE = 0o755;

export class ImageRoot {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The path on this machine of a path from `find` or `make`. */
  onDisk(inside: ImagePath): string {
    return path.join(this.#root, ...inside);
  }

  /** The folder that a path leads to, with all links resolved. Undefined: there is none. */
  find(folder: ImagePath): ImagePath | undefined {
    const { real, missing } = this.#walk(folder);
    return missing.length === 0 ? real : undefined;
  }

  /** As `find`, but creates missing folders. */
  async make(folder: ImagePath): Promise<ImagePath> {
    const { real, missing } = this.#walk(folder);
    for (const name of missing) {
      real.push(name);
      // The mode of mkdir alone would be reduced by the umask.
      await mkdir(this.onDisk(real));
      await chmod(this.onDisk(real), IMPLIED_FOLDER_MODE);
    }
    return real;
  }

  /**
   * Stats a path from `find` or `make`, or a name below it; links are not followed. Synchronous, because
   * looking up one name takes less time than waiting for another thread.
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
