/** What happens to the files of a container when it has ended. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { isMissing, writeJson } from '../json-file.ts';
import type { ContainerResult } from './records.ts';

/** Unless its folder was deleted: then the result is not needed any more. */
export function keepResult(folder: string, result: ContainerResult): void {
  try {
    writeJson(path.join(folder, 'result.json'), result);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** What cannot be removed now goes with the folder. */
export function removeFiles(folder: string, names: readonly string[]): void {
  for (const name of names) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // A process or the disk prevents it.
    }
  }
}
