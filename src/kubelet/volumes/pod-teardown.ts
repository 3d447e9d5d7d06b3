/**
 * Takes away the volumes of a pod, from what is on the disk: after a restart nobody remembers more.
 *
 * First what is mounted is unmounted, then the folders go. Where something is still mounted nothing is
 * removed: it may be a path of the node, and its files are not ours. Only file systems in memory are
 * unmounted from volumes, because podkeep mounts no others there.
 *
 * Most volumes are such a memory and nothing else. Below it lies an empty folder, which the kernel removes
 * only if nothing is mounted there any more: the list of all mounts is not needed for that.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { mountsIn, type Mounter } from './mounter.ts';
import { isMountedMemory } from './own-file-system.ts';
import { removeSkeleton } from './skeleton-removal.ts';
import { removeTree } from './tree-removal.ts';
import { codeOf, isMissing, volumeUnusable } from './volume-errors.ts';
import type { VolumeLayout } from './volume-layout.ts';

export interface TeardownFailure {
  readonly volume: string;
  readonly error: unknown;
}

interface TeardownRoom {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
}

/** What could not be taken away; empty: nothing is left. */
export async function tearDownVolumes(
  room: TeardownRoom,
  uid: string,
): Promise<readonly TeardownFailure[]> {
  const failures: TeardownFailure[] = [];
  const subPaths = room.layout.subPathsFolder(uid);
  for (const volume of namesIn(subPaths)) {
    const folder = path.join(subPaths, volume);
    await tearDown(room, folder, () => true).catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  // A volume whose parts are bound elsewhere is still in use.
  const inUse = new Set(failures.map(({ volume }) => volume));
  for (const folder of volumeFolders(room.layout, uid)) {
    const volume = path.basename(folder);
    if (inUse.has(volume) || (await removeMemory(room, folder))) continue;
    await tearDown(room, folder, (fileSystem) => fileSystem === 'tmpfs').catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  return failures;
}

/** The folders of all volumes of a pod that are on the disk. */
export function volumeFolders(layout: VolumeLayout, uid: string): readonly string[] {
  const kinds = layout.volumesFolder(uid);
  return namesIn(kinds).flatMap((kind) => {
    const names = namesIn(path.join(kinds, kind));
    return names.map((name) => path.join(kinds, kind, name));
  });
}

/** All that is left of a pod. Its volumes must be gone. */
export async function removePodFolder(room: TeardownRoom, uid: string): Promise<void> {
  const folder = room.layout.podFolder(uid);
  await checkUnmounted(room.mounter, folder);
  if (!removeSkeleton(folder)) await removeTree(folder);
}

/** False: it is something else, or something more, and is taken away with more care. */
async function removeMemory({ mounter }: TeardownRoom, folder: string): Promise<boolean> {
  try {
    if (!isMountedMemory(folder)) return false;
    await mounter.unmount(folder);
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

async function tearDown(
  { mounter }: TeardownRoom,
  folder: string,
  isOurs: (fileSystem: string) => boolean,
): Promise<void> {
  // What is mounted where a link leads is not the pod's.
  const isLink = lstatSync(folder).isSymbolicLink();
  const mounts = isLink ? [] : await mountsIn(mounter, folder);
  for (const mount of mounts) {
    if (isOurs(mount.fileSystem)) await mounter.unmount(mount.folder);
  }
  if (mounts.length > 0) await checkUnmounted(mounter, folder);
  await removeTree(folder);
}

async function checkUnmounted(mounter: Mounter, folder: string): Promise<void> {
  const [mount] = await mountsIn(mounter, folder);
  if (mount) throw volumeUnusable({ reason: `${mount.folder} is still mounted` });
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
