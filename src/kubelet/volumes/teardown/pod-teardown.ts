/**
 * Unmounts and removes the volumes of a pod. It finds the volumes on disk, because after a restart of podkeep
 * there is no other record of them.
 *
 * It unmounts first, then removes the folders. A folder in which something is still mounted is not removed:
 * the mount may be a path of the node, whose files are not podkeep's. On the folders of volumes only tmpfs is
 * unmounted, because podkeep mounts no other file system there.
 *
 * Most volumes are only one tmpfs. Its mount point is an empty folder, and the kernel refuses to remove it
 * while something is mounted there, so the list of all mounts is not needed.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { mountsIn, type Mounter } from '../mounts/mounter.ts';
import { isMountedMemory } from '../mounts/own-file-system.ts';
import { removeSkeleton } from './skeleton-removal.ts';
import { removeTree } from './tree-removal.ts';
import { codeOf, isMissing, volumeUnusable } from '../volume-errors.ts';
import { measureOperation } from '../storage-operation.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { pluginOfFolder } from '../volume-plugin.ts';
import type { VolumeLayout } from '../volume-layout.ts';
import type { VolumeMemory } from '../volume-memory.ts';

export interface TeardownFailure {
  readonly volume: string;
  readonly error: unknown;
}

interface TeardownDeps extends Pick<VolumeDeps, 'clock' | 'observer'> {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
  readonly memory: VolumeMemory;
}

/** Returns a failure for each volume that could not be removed. */
export async function tearDownVolumes(
  deps: TeardownDeps,
  uid: string,
): Promise<readonly TeardownFailure[]> {
  const failures: TeardownFailure[] = [];
  const subPaths = deps.layout.subPathsFolder(uid);
  for (const volume of namesIn(subPaths)) {
    const folder = path.join(subPaths, volume);
    await tearDown(deps, folder, () => true).catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  // A volume is still in use as long as a subPath of it is mounted.
  const inUse = new Set(failures.map(({ volume }) => volume));
  for (const folder of volumeFolders(deps.layout, uid)) {
    const volume = path.basename(folder);
    if (inUse.has(volume)) continue;
    const plugin = pluginOfFolder(path.basename(path.dirname(folder)));
    await measureOperation(deps, { plugin, operation: 'volume_unmount' }, async () => {
      deps.memory.remove(folder);
      if (await removeMemory(deps, folder)) return;
      await tearDown(deps, folder, (fileSystem) => fileSystem === 'tmpfs');
    }).catch((error: unknown) => {
      failures.push({ volume, error });
    });
  }
  return failures;
}

/** The folders of all volumes of a pod on the disk. */
export function volumeFolders(layout: VolumeLayout, uid: string): readonly string[] {
  const kinds = layout.volumesFolder(uid);
  return namesIn(kinds).flatMap((kind) => {
    const names = namesIn(path.join(kinds, kind));
    return names.map((name) => path.join(kinds, kind, name));
  });
}

/** Removes the rest of a pod's folder, after its volumes were removed. */
export async function removePodFolder(deps: TeardownDeps, uid: string): Promise<void> {
  const folder = deps.layout.podFolder(uid);
  await checkUnmounted(deps.mounter, folder);
  if (!removeSkeleton(folder)) await removeTree(folder);
}

/** False: the volume is not only one tmpfs, and needs the full teardown. */
async function removeMemory({ mounter }: TeardownDeps, folder: string): Promise<boolean> {
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
  { mounter }: TeardownDeps,
  folder: string,
  isOurs: (fileSystem: string) => boolean,
): Promise<void> {
  // The folder is a link: mounts at its target do not belong to the pod.
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
