/**
 * Creates the folder of a volume, on disk or in memory.
 *
 *     root             a tmpfs that is mounted on the folder
 *     ordinary user    Secrets and tokens: a folder in a memory file system of this user
 *                      (lib/memory-folder.ts), and an empty folder at the usual path on disk, by
 *                      which the teardown finds the volume
 *
 * For an existing folder nothing changes, and its content stays. If Secrets must be on disk, other users at
 * least cannot read them; a log message warns the operator once, and an Event warns the users of the pod.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';
import { makeFolders } from './files/folders.ts';
import { mountsIn, type Mounter } from './mounts/mounter.ts';
import { isOwnFileSystem } from './mounts/own-file-system.ts';
import { volumeUnusable } from './volume-errors.ts';
import type { VolumeMemory } from './volume-memory.ts';

export interface FolderRequest {
  readonly folder: string;
  readonly inMemory: boolean;
  readonly sizeBytes?: bigint | undefined;
  /** If the volume cannot be in memory, only podkeep's own user may read it. */
  readonly isSecret: boolean;
}

const PARENT_MODE = 0o750;
const OPEN_MODE = 0o777;
const CLOSED_MODE = 0o700;
const alreadyLogged = new WeakSet<Log>();

export interface FolderDeps {
  readonly mounter: Mounter;
  readonly memory: VolumeMemory;
  readonly log: Log;
}

export interface VolumeFolder {
  readonly folder: string;
  /** It should be in memory, and is on the disk. */
  readonly isExposed: boolean;
}

export async function makeVolumeFolder(
  request: FolderRequest,
  { mounter, memory, log }: FolderDeps,
): Promise<VolumeFolder> {
  const { folder, inMemory, sizeBytes, isSecret } = request;
  makeFolders(path.dirname(folder), PARENT_MODE);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw volumeUnusable({ reason: `${folder}: not a directory` });
  if (!found) mkdirSync(folder);
  if (inMemory && (await mounter.isPermitted())) {
    const isMounted = found !== undefined && (await isMountPoint(mounter, folder));
    if (!isMounted) await mounter.mountMemory(folder, sizeBytes);
    return { folder, isExposed: false };
  }
  const inOwnMemory = inMemory && isSecret && isEmpty(folder) ? memory.make(folder) : undefined;
  if (inOwnMemory !== undefined) return { folder: inOwnMemory, isExposed: false };
  if (inMemory) warnOnce(log);
  const { mode } = found ?? lstatSync(folder);
  const wanted = isSecret && inMemory ? CLOSED_MODE : OPEN_MODE;
  if ((mode & 0o777) !== wanted && (mode & 0o2000) === 0) chmodSync(folder, wanted);
  return { folder, isExposed: inMemory && isSecret };
}

/**
 * If the folder is not empty, an earlier version of podkeep has put files there, which containers have
 * mounted.
 */
function isEmpty(folder: string): boolean {
  return readdirSync(folder).length === 0;
}

async function isMountPoint(mounter: Mounter, folder: string): Promise<boolean> {
  if (isOwnFileSystem(folder)) return true;
  return (await mountsIn(mounter, folder)).some((mount) => mount.folder === folder);
}

function warnOnce(log: Log): void {
  if (alreadyLogged.has(log)) return;
  alreadyLogged.add(log);
  log.warn('Volumes that should be in memory are on disk: not permitted to mount tmpfs');
}
