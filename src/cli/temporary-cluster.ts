/**
 * Creates the temporary data folder of `podkeep up -- CMD`, and removes it at the end.
 *
 *     $TMPDIR/podkeep-up-PID-XXXXXX
 *
 * A podkeep that is killed cannot remove its folder, and its pods keep running. So the next podkeep that
 * creates a temporary folder first finds such folders, stops their pods, and removes them. It touches only
 * folders of its own user whose process has ended, that no process has open, and that are older than a
 * minute: in a container that shares $TMPDIR, PIDs have another meaning.
 */
import { lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockOwnersOf } from '../apiserver/store/lmdb/owner-lock.ts';
import { systemClock as clock } from '../platform/system-clock.ts';
import { locateDataFolder, type DataFolder } from './data-folder.ts';
import type { Io } from './io.ts';

const PREFIX = 'podkeep-up-';
const NAME = /^podkeep-up-(\d+)-\w{6}$/;
const AGE_MS_MIN = 60_000;
/** The grace period of such pods is short: their user is gone. */
const FORSAKEN_GRACE_SECONDS = 1;

export function makeTemporaryFolder(): DataFolder {
  const folder = mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`));
  return locateDataFolder(folder, {});
}

export function isTemporaryFolder({ root }: DataFolder): boolean {
  return path.dirname(root) === path.resolve(tmpdir()) && NAME.test(path.basename(root));
}

/**
 * Call only when no pod of the folder runs. Mounts are not touched; with a mount inside, the folder stays.
 */
export async function removeTemporaryFolder({ root }: DataFolder, io: Io): Promise<void> {
  const { removeTree } = await import('../kubelet/volumes/teardown/tree-removal.ts');
  try {
    await removeTree(root);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    io.err(`warning the temporary folder ${root} could not be removed: ${reason}\n`);
  }
}

/** Stops the pods and removes the folders that killed podkeep processes have left. */
export async function removeForsakenFolders(io: Io): Promise<void> {
  for (const name of namesIn(tmpdir())) {
    const folder = locateDataFolder(path.join(tmpdir(), name), {});
    if (!(await isForsaken(folder))) continue;
    const { stopRunningPods } = await import('./commands/running-pods.ts');
    try {
      await stopRunningPods(folder, io, FORSAKEN_GRACE_SECONDS);
      await removeTemporaryFolder(folder, io);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      io.err(`warning what is left in ${folder.root} could not be removed: ${reason}\n`);
    }
  }
}

async function isForsaken({ root, store }: DataFolder): Promise<boolean> {
  const pid = Number(NAME.exec(path.basename(root))?.[1]);
  if (!(pid > 0) || isAlive(pid)) return false;
  try {
    const stats = lstatSync(root);
    const isOurs = stats.isDirectory() && stats.uid === process.getuid?.();
    if (!isOurs || clock.now() - stats.mtimeMs < AGE_MS_MIN) return false;
    return (await lockOwnersOf(store)).length === 0;
  } catch {
    return false; // it is just being removed, or cannot be read
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(PREFIX));
  } catch {
    return []; // whatever is wrong with it, creating a folder in it will report
  }
}
