/**
 * The folder of a volume: on the disk, or in memory where this user may mount.
 *
 * Making it again changes nothing: what is in it stays. Secrets that must lie on the disk are at least
 * closed to other users, and the people who run podkeep are told once.
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';
import { makeFolders } from '../folders.ts';
import { mountsIn, type Mounter } from './mounter.ts';
import { isOwnFileSystem } from './own-file-system.ts';
import { volumeUnusable } from './volume-errors.ts';

export interface FolderRequest {
  readonly folder: string;
  readonly inMemory: boolean;
  readonly sizeBytes?: bigint | undefined;
  /** Nobody but podkeep's own user may look, if it cannot lie in memory. */
  readonly isSecret: boolean;
}

const PARENT_MODE = 0o750;
const OPEN_MODE = 0o777;
const CLOSED_MODE = 0o700;
const told = new WeakSet<Log>();

export async function makeVolumeFolder(
  request: FolderRequest,
  { mounter, log }: { readonly mounter: Mounter; readonly log: Log },
): Promise<void> {
  const { folder, inMemory, sizeBytes, isSecret } = request;
  makeFolders(path.dirname(folder), PARENT_MODE);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw volumeUnusable({ reason: `${folder}: not a directory` });
  if (!found) mkdirSync(folder);
  if (inMemory && (await mounter.isPermitted())) {
    const isMounted = found !== undefined && (await isMountPoint(mounter, folder));
    if (!isMounted) await mounter.mountMemory(folder, sizeBytes);
    return;
  }
  if (inMemory) tellOnce(log);
  const { mode } = found ?? lstatSync(folder);
  const wanted = isSecret && inMemory ? CLOSED_MODE : OPEN_MODE;
  if ((mode & 0o777) !== wanted && (mode & 0o2000) === 0) chmodSync(folder, wanted);
}

async function isMountPoint(mounter: Mounter, folder: string): Promise<boolean> {
  if (isOwnFileSystem(folder)) return true;
  return (await mountsIn(mounter, folder)).some((mount) => mount.folder === folder);
}

function tellOnce(log: Log): void {
  if (told.has(log)) return;
  told.add(log);
  log.warn('volumes that belong into memory lie on the disk: this user may not mount');
}
