/**
 * Folders of podkeep's own, made at once like its small files (see exact-file.ts).
 *
 * Node can make all folders of a path, too, but it names the last of them when another was refused.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from './volumes/volume-errors.ts';

/** Makes the folder and those above it, each with this mode. What is there stays as it is. */
export function makeFolders(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolders(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const wasSlower = codeOf(error) === 'EEXIST' && isFolder(folder);
    if (!wasSlower) throw error;
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
