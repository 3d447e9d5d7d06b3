/** Locks the runtime's data folder, so that only one podkeep at a time manages its containers. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOwnFolder } from '../../lib/trusted-file.ts';
import { spreadFolders } from '../../lib/spread-folders.ts';
import { runtimeFolderInUse, runtimeFolderUnusable } from './errors.ts';
import { readJson, reasonOf, writeJson } from './json-file.ts';
import { podsFolder } from './layout.ts';
import { folderMode, type Machine } from './machine/machine.ts';
import { isAlive, readProcess, type ProcessIdentity } from './machine/proc-table.ts';
import { GUARD_SCRIPT, INIT_SCRIPT } from './shell/scripts.ts';

const OWNER_ONLY = 0o700;

/** Whether the scripts of containers are in the folder. False: the data folder was deleted. */
export function hasScripts(folder: string): boolean {
  return existsSync(path.join(folder, 'init.sh'));
}

/**
 * Locks the folder, and writes the scripts into it. Throws RUNTIME_FOLDER_IN_USE or RUNTIME_FOLDER_UNUSABLE.
 */
export async function lockFolder(folder: string): Promise<void> {
  try {
    await mkdir(podsFolder(folder), { recursive: true, mode: OWNER_ONLY });
    await chmod(folder, OWNER_ONLY);
  } catch (error) {
    throw runtimeFolderUnusable({ folder, reason: reasonOf(error) }, error);
  }
  checkOwnFolder(folder);
  const file = path.join(folder, 'keeper.json');
  const owner = await readJson<ProcessIdentity>(file);
  const isLinux = process.platform === 'linux';
  if (owner && owner.pid !== process.pid && isAlive(owner, isLinux)) {
    throw runtimeFolderInUse({ folder, pid: owner.pid });
  }
  const start = readProcess(process.pid)?.start ?? '';
  writeJson(file, { pid: process.pid, start });
  // An earlier version of podkeep left this folder.
  await rm(path.join(folder, 'templates'), { recursive: true, force: true });
  await writeFile(path.join(folder, 'guard.sh'), GUARD_SCRIPT);
  await writeFile(path.join(folder, 'init.sh'), INIT_SCRIPT);
  // Not awaited: it is only a hint to the file system.
  void spreadFolders([podsFolder(folder)]);
}

/** Sets the mode that containers need to pass through these folders. */
export async function openFolders(folder: string, machine: Machine): Promise<void> {
  for (const each of [folder, podsFolder(folder)]) await chmod(each, folderMode(machine));
}

/** Running containers keep running, and their guard stays. */
export async function unlockFolder(folder: string, isEmpty: boolean): Promise<void> {
  await rm(path.join(folder, 'keeper.json'), { force: true });
  if (isEmpty) await rm(path.join(folder, 'guard'), { force: true });
}
