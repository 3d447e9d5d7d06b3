/**
 * Folders on the disk, with those above them.
 *
 * Mostly they are there already, which one look tells: it is over before another thread would have begun
 * with it. To make one is another matter. A disk takes its time for a new name, and other pods go on
 * meanwhile.
 *
 * Node can make all folders of a path, too, but never ends where nobody can make any, as below /proc.
 */
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './volumes/volume-errors.ts';

/** Each is made with this mode. What is there stays as it is. */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolders(parent, mode);
  await mkdir(folder, { mode }).catch((error: unknown) => {
    const wasSlower = codeOf(error) === 'EEXIST' && isFolder(folder);
    if (!wasSlower) throw error;
  });
}

/** What cannot be looked at is none: whoever makes it is told why. */
function isFolder(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
