/**
 * The folder of a volume: on the disk, or in memory where this user may mount.
 *
 * Making it again changes nothing: what is in it stays. Secrets that must lie on the disk are at least
 * closed to other users, and the people who run podkeep are told once.
 */
import { chmod, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';
import { mountsIn, type Mounter } from './mounter.ts';
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
  await mkdir(path.dirname(folder), { recursive: true, mode: PARENT_MODE });
  await mkdir(folder, { recursive: true });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw volumeUnusable({ reason: `${folder}: not a directory` });
  const isMounted = inMemory && (await mounter.isPermitted());
  if (isMounted) {
    const isThere = (await mountsIn(mounter, folder)).some((mount) => mount.folder === folder);
    if (isThere) return;
    await mounter.mountMemory(folder, sizeBytes);
    return;
  }
  if (inMemory) tellOnce(log);
  const mode = isSecret && inMemory ? CLOSED_MODE : OPEN_MODE;
  if ((stats.mode & 0o777) !== mode && (stats.mode & 0o2000) === 0) await chmod(folder, mode);
}

function tellOnce(log: Log): void {
  if (told.has(log)) return;
  told.add(log);
  log.warn('volumes that belong into memory lie on the disk: this user may not mount');
}
