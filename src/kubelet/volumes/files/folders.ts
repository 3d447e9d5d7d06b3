/**
 * Creates podkeep's own folders synchronously, like its small files (see exact-file.ts).
 *
 * The recursive mkdir of Node.js is not used, because its error names the last folder of the path, not the
 * one that failed.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../volume-errors.ts';

/** Creates the folder and its missing parents with this mode. Existing folders keep theirs. */
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

/** A folder that cannot be inspected counts as missing: its creation then throws the error. */
function isFolder(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
