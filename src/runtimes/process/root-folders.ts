/** Creates folders for containers and, without isolation, links in place of mounts. */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { codeOf } from './json-file.ts';

const FOLDER_MODE = 0o755;

/** Sets the mode regardless of podkeep's umask: the container's user must be able to pass. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
    chmodSync(folder, FOLDER_MODE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT') throw error;
    makeFolder(path.dirname(folder));
    makeFolder(folder);
  }
}

/**
 * Without isolation nothing can be mounted. A program finds its volumes below the folder that a variable
 * names: /etc/config is at $PODKEEP_ROOT/etc/config.
 */
export function makeStandIns(place: string, mounts: readonly Mount[]): void {
  for (const { containerPath, hostPath } of mounts) {
    const file = path.join(place, path.posix.normalize(`/${containerPath}`));
    makeFolder(path.dirname(file));
    try {
      symlinkSync(hostPath, file);
    } catch (error) {
      // The path is inside another volume, which has its own content there.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}
