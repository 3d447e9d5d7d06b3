/**
 * Takes away the volumes of a pod, from what is on the disk: after a restart nobody remembers more.
 *
 * First what is mounted is unmounted, then the folders go. Where something is still mounted nothing is
 * removed: it may be a path of the node, and its files are not ours. Only file systems in memory are
 * unmounted from volumes, because podkeep mounts no others there.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { mountsIn, type Mounter } from './mounter.ts';
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
  for (const volume of await namesIn(subPaths)) {
    const folder = path.join(subPaths, volume);
    await tearDown(room, folder, () => true).catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  // A volume whose parts are bound elsewhere is still in use.
  const inUse = new Set(failures.map(({ volume }) => volume));
  for (const folder of await volumeFolders(room.layout, uid)) {
    const volume = path.basename(folder);
    if (inUse.has(volume)) continue;
    const isMemory = (fileSystem: string): boolean => fileSystem === 'tmpfs';
    await tearDown(room, folder, isMemory).catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  return failures;
}

/** The folders of all volumes of a pod that are on the disk. */
export async function volumeFolders(layout: VolumeLayout, uid: string): Promise<readonly string[]> {
  const kinds = layout.volumesFolder(uid);
  const folders: string[] = [];
  for (const kind of await namesIn(kinds)) {
    const names = await namesIn(path.join(kinds, kind));
    folders.push(...names.map((name) => path.join(kinds, kind, name)));
  }
  return folders;
}

/** All that is left of a pod. Its volumes must be gone. */
export async function removePodFolder(room: TeardownRoom, uid: string): Promise<void> {
  await removeUnmounted(room.mounter, room.layout.podFolder(uid));
}

async function tearDown(
  { mounter }: TeardownRoom,
  folder: string,
  isOurs: (fileSystem: string) => boolean,
): Promise<void> {
  for (const mount of await mountsIn(mounter, folder)) {
    if (isOurs(mount.fileSystem)) await mounter.unmount(mount.folder);
  }
  await removeUnmounted(mounter, folder);
}

async function removeUnmounted(mounter: Mounter, folder: string): Promise<void> {
  const [mount] = await mountsIn(mounter, folder);
  if (mount) throw volumeUnusable({ reason: `${mount.folder} is still mounted` });
  await removeTree(folder);
}

export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
