/** Mounts, as far as volumes need them. Who may not mount at all makes do with plain folders. */
import { realpath } from 'node:fs/promises';

export interface MountPoint {
  readonly folder: string;
  /** Such as `tmpfs`. */
  readonly fileSystem: string;
}

export interface Mounter {
  /** Whether this user may mount here. It does not change. */
  isPermitted(): Promise<boolean>;
  /** Absent size: what the kernel allows by default. */
  mountMemory(folder: string, sizeBytes?: bigint): Promise<void>;
  /** `source` is taken as it is: a link of /proc stays the open file that it stands for. */
  bind(source: string, target: string): Promise<void>;
  unmount(folder: string): Promise<void>;
  /** Everything that is mounted, in the order in which it was. */
  list(): Promise<readonly MountPoint[]>;
}

/**
 * What is mounted at the folder or below it, the last first: the order in which it can be unmounted.
 *
 * The kernel tells the places without links. Here they are as `folder` has them, links and all.
 */
export async function mountsIn(mounter: Mounter, folder: string): Promise<readonly MountPoint[]> {
  const real = await realpath(folder).catch(() => folder);
  const mounts = await mounter.list();
  return mounts
    .filter((mount) => mount.folder === real || mount.folder.startsWith(`${real}/`))
    .map((mount) => ({ ...mount, folder: `${folder}${mount.folder.slice(real.length)}` }))
    .toReversed();
}
