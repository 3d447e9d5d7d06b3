/**
 * Removes the rest of a pod's folder once its volumes are gone: a few names that podkeep made.
 *
 *     UID/etc-hosts
 *     UID/containers/NAME/0
 *     UID/plugins/
 *     UID/volumes/KIND/
 *
 * It is synchronous, like their making (see exact-file.ts). Anything larger or deeper may belong to others,
 * or take long: it is left to the asynchronous tree-removal.ts.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

/** Levels of folders below the pod's own that are entered. */
const LEVELS = 2;
const NAMES_MAX = 64;
/** Freeing the space of a large file takes a disk its time. */
const FILE_BYTES_MAX = 1_048_576;

/** False: something is left. Nothing may be mounted in the folder. */
export function removeSkeleton(folder: string): boolean {
  try {
    return lstatSync(folder).isDirectory() && removeLevel(folder, LEVELS);
  } catch {
    return false;
  }
}

function removeLevel(folder: string, levels: number): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.length > NAMES_MAX) return false;
  for (const entry of entries) {
    const name = path.join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (lstatSync(name).size > FILE_BYTES_MAX) return false;
      unlinkSync(name);
    } else if (levels === 0) {
      rmdirSync(name);
    } else if (!removeLevel(name, levels - 1)) {
      return false;
    }
  }
  rmdirSync(folder);
  return true;
}
