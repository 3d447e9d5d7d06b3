/** Creates folders on disk, and the links that stand in for mounts where there are none. */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { codeOf } from './json-file.ts';

const FOLDER_MODE = 0o755;

/** The user of the container must be able to pass, whatever the umask of this process. */
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
 * Without mounts, a program finds each one below a folder that a variable names: /etc/config is at
 * $PODKEEP_ROOT/etc/config.
 */
export function makeStandIns(place: string, mounts: readonly Mount[]): void {
  for (const { containerPath, hostPath } of mounts) {
    const file = path.join(place, path.posix.normalize(`/${containerPath}`));
    makeFolder(path.dirname(file));
    try {
      symlinkSync(hostPath, file);
    } catch (error) {
      // Below another mount: that link leads into the volume, which has its own content there.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}
