/**
 * Makes podkeep's own folders synchronously, like its small files (see exact-file.ts).
 *
 * Node can make all folders of a path, too, but its error names the last one, not the one that failed.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../volume-errors.ts';

/** Makes the folder and its parents, each with this mode. Existing ones stay as they are. */
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

/** A folder that cannot be inspected counts as missing: making it gives the error. */
function isFolder(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
