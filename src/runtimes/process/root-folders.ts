/** Makes, on disk, what the plan of a root asks for; or what stands in where there are no mounts. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../ports/runtime/container-config.ts';
import { codeOf } from './json-file.ts';
import type { RootPlan } from './root-plan.ts';

const FOLDER_MODE = 0o755;

/**
 * Returns the folder of the template, which is made if no container of this shape was started before.
 * It has its name from the moment it is complete.
 */
export function makeTemplate({ template, memory }: RootPlan, templates: string): string {
  const key = JSON.stringify(template).replaceAll(memory, '');
  const done = path.join(templates, createHash('sha256').update(key).digest('hex').slice(0, 16));
  if (existsSync(done)) return done;
  const draft = `${done}.new`;
  const at = (file: string): string => draft + file.slice(memory.length);
  rmSync(draft, { recursive: true, force: true });
  makeFolder(draft);
  for (const folder of template.folders) makeFolder(at(folder));
  for (const file of template.files) makeFile(at(file));
  for (const [target, file] of template.links) symlinkSync(target, at(file));
  for (const { folder, mode, owner } of template.looks) {
    // A change of owner takes setuid bits away, so the mode comes last.
    if (owner) chownSync(at(folder), owner.uid, owner.gid);
    chmodSync(at(folder), mode);
  }
  renameSync(draft, done);
  return done;
}

/** Mount points inside volumes, as other runtimes make them. */
export function makeOutside({ outside }: RootPlan): void {
  for (const folder of outside.folders) makeFolder(folder);
  for (const file of outside.files) makeFile(file);
}

function makeFile(file: string): void {
  closeSync(openSync(file, 'a', 0o644));
}

/** Whoever the container runs as must get through, whatever this process hides from others. */
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
