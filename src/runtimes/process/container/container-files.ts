/** Writes the result of an ended container, and removes files that it no longer needs. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { isMissing, writeJson } from '../json-file.ts';
import type { ContainerResult } from './records.ts';

/** Does nothing if the folder was deleted: the result is not needed then. */
export function keepResult(folder: string, result: ContainerResult): void {
  try {
    writeJson(path.join(folder, 'result.json'), result);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Files that cannot be removed now are removed with the folder. */
export function removeFiles(folder: string, names: readonly string[]): void {
  for (const name of names) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // A process or the disk prevents the removal.
    }
  }
}
