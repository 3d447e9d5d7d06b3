/** Makes, on disk, what the plan of a root asks for; or what stands in where there are no mounts. */
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { codeOf } from './json-file.ts';
import type { RootPlan } from './root-plan.ts';

const FOLDER_MODE = 0o755;
const OPEN_MODE = 0o1777;
const CLOSED_MODE = 0o700;

/** Whoever the container runs as must get through, whatever this process hides from others. */
export function makeRootFolders(plan: RootPlan): void {
  for (const folder of plan.folders) makeFolder(folder);
  for (const folder of plan.open) chmodSync(folder, OPEN_MODE);
  for (const folder of plan.closed) chmodSync(folder, CLOSED_MODE);
  for (const file of plan.files) closeSync(openSync(file, 'a', 0o644));
  for (const [target, file] of plan.links) symlinkSync(target, file);
}

function makeFolder(folder: string): void {
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
 * Without mounts, a program finds each one under a folder that a variable names: what would be at
 * /etc/config is at $PODKEEP_ROOT/etc/config.
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
