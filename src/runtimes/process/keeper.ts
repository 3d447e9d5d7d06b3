/**
 * Who looks after a folder of containers: one podkeep at a time, and a guard for when there is none.
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { spreadFolders } from '../../lib/spread-folders.ts';
import { runtimeFolderInUse, runtimeFolderUnusable } from './errors.ts';
import { readJson, reasonOf, writeJson } from './json-file.ts';
import { keyOf, podsFolder } from './layout.ts';
import { folderMode, type Machine } from './machine.ts';
import { TOOL_ENV } from './shell/spawn-init.ts';
import { isAlive, readProcess, type ProcessIdentity } from './proc-table.ts';
import { GUARD_SCRIPT, INIT_SCRIPT } from './shell/scripts.ts';

const OWNER_ONLY = 0o700;

/** Makes the folder ours, with the scripts in it. Throws if it is somebody else's. */
export async function takeFolder(folder: string): Promise<void> {
  try {
    await mkdir(podsFolder(folder), { recursive: true, mode: OWNER_ONLY });
    await chmod(folder, OWNER_ONLY);
  } catch (error) {
    throw runtimeFolderUnusable({ folder, reason: reasonOf(error) }, error);
  }
  const file = path.join(folder, 'keeper.json');
  const keeper = await readJson<ProcessIdentity>(file);
  const isLinux = process.platform === 'linux';
  if (keeper && keeper.pid !== process.pid && isAlive(keeper, isLinux)) {
    throw runtimeFolderInUse({ folder, pid: keeper.pid });
  }
  const start = readProcess(process.pid)?.start ?? '';
  writeJson(file, { pid: process.pid, start });
  // Of the version before this one.
  await rm(path.join(folder, 'templates'), { recursive: true, force: true });
  await writeFile(path.join(folder, 'guard.sh'), GUARD_SCRIPT);
  await writeFile(path.join(folder, 'init.sh'), INIT_SCRIPT);
  // Nobody waits for a hint.
  void spreadFolders([podsFolder(folder)]);
}

/** For containers that have to find their way through it. */
export async function openFolders(folder: string, machine: Machine): Promise<void> {
  for (const each of [folder, podsFolder(folder)]) await chmod(each, folderMode(machine));
}

/** Whatever runs goes on, and the guard stays with it. */
export async function leaveFolder(folder: string, isEmpty: boolean): Promise<void> {
  await rm(path.join(folder, 'keeper.json'), { force: true });
  if (isEmpty) await rm(path.join(folder, 'guard'), { force: true });
}

/**
 * It ends by itself: see scripts.ts. That it is the guard now is written down here and not by itself: it
 * may come late, when the folder has been left or is being deleted.
 */
export async function startGuard(folder: string, machine: Machine): Promise<void> {
  const script = path.join(folder, 'guard.sh');
  const args = [script, folder, String(process.pid), keyOf(folder)];
  const guard = spawn(machine.tools.sh ?? 'sh', args, {
    cwd: '/',
    env: TOOL_ENV,
    detached: true,
    stdio: 'ignore',
  });
  // Without a guard everything works but the end of containers whose folder was deleted.
  guard.on('error', () => undefined);
  guard.unref();
  if (guard.pid !== undefined) await writeFile(path.join(folder, 'guard'), `${guard.pid}\n`);
}
