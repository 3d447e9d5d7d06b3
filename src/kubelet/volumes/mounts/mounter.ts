/** Mounts for volumes. A user who may not mount uses plain folders. */
import { realpath } from 'node:fs/promises';

export interface MountPoint {
  readonly folder: string;
  /** Such as `tmpfs`. */
  readonly fileSystem: string;
}

export interface Mounter {
  /** Whether this user may mount here. It does not change. */
  isPermitted(): Promise<boolean>;
  /** Absent size: the kernel's default. */
  mountMemory(folder: string, sizeBytes?: bigint): Promise<void>;
  /** `source` is used as it is: a link of /proc stays the open file that it stands for. */
  bind(source: string, target: string): Promise<void>;
  unmount(folder: string): Promise<void>;
  /** All mounts, in the order in which they were made. */
  list(): Promise<readonly MountPoint[]>;
}

/**
 * The mounts at the folder or below it, the last first: the order in which they can be unmounted.
 *
 * The kernel lists their real paths. Here they begin with `folder` as given, links included.
 */
export async function mountsIn(mounter: Mounter, folder: string): Promise<readonly MountPoint[]> {
  const real = await realpath(folder).catch(() => folder);
  const mounts = await mounter.list();
  return mounts
    .filter((mount) => mount.folder === real || mount.folder.startsWith(`${real}/`))
    .map((mount) => ({ ...mount, folder: `${folder}${mount.folder.slice(real.length)}` }))
    .toReversed();
}
