/**
 * Removes the rest of a pod's folder after its volumes were removed: a few files and folders that podkeep
 * created.
 *
 *     UID/etc-hosts
 *     UID/containers/NAME/0
 *     UID/plugins/
 *     UID/volumes/KIND/
 *
 * The removal is synchronous, as the creation of these files is (see exact-file.ts). Anything larger or
 * deeper was possibly not created by podkeep, or takes long to remove, and is left to the asynchronous
 * tree-removal.ts.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

/** How many levels of folders below the pod's folder are read. Deeper folders must be empty. */
const LEVELS = 2;
const NAMES_MAX = 64;
/** Larger files are left: freeing their space takes a disk too long for a synchronous call. */
const FILE_BYTES_MAX = 1_048_576;

/** False: something is left. The caller makes sure that nothing is mounted in the folder. */
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
