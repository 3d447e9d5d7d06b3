/**
 * Folders of podkeep's own, made at once like its small files (see exact-file.ts).
 *
 * Mostly they are there already, which one look tells. A folder that is refused is named itself, and not
 * the one that was wanted in it: that is the one whose rights somebody has to look at.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf, isMissing } from './volumes/volume-errors.ts';

/** Makes the folder and those above it, each with this mode. What is there stays as it is. */
export function makeFolders(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (isMissing(error)) {
      makeFolders(path.dirname(folder), mode);
      mkdirSync(folder, { mode });
      return;
    }
    // Somebody was faster.
    if (codeOf(error) !== 'EEXIST' || !isFolder(folder)) throw error;
  }
}

/** What cannot be looked at is none: whoever makes it is told why. */
function isFolder(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
