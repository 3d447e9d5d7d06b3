/**
 * Port: mounts and unmounts file systems for volumes. Without the permission to mount, volumes are plain
 * folders.
 */
import { realpath } from 'node:fs/promises';

export interface MountPoint {
  readonly folder: string;
  /** The type of the file system, such as `tmpfs`. */
  readonly fileSystem: string;
}

export interface Mounter {
  /** Whether podkeep may mount on this machine. The answer never changes. */
  isPermitted(): Promise<boolean>;
  /** Absent size: the kernel's default. */
  mountMemory(folder: string, sizeBytes?: bigint): Promise<void>;
  /** `source` is not resolved: a link in /proc/…/fd means the open file itself. */
  bind(source: string, target: string): Promise<void>;
  unmount(folder: string): Promise<void>;
  /** All mounts, in the order in which they were made. */
  list(): Promise<readonly MountPoint[]>;
}

/**
 * The mounts at the folder or below it, the newest first: the order in which they can be unmounted.
 *
 * The kernel lists real paths. The result begins with `folder` as the caller gave it, links included.
 */
export async function mountsIn(mounter: Mounter, folder: string): Promise<readonly MountPoint[]> {
  const real = await realpath(folder).catch(() => folder);
  const mounts = await mounter.list();
  return mounts
    .filter((mount) => mount.folder === real || mount.folder.startsWith(`${real}/`))
    .map((mount) => ({ ...mount, folder: `${folder}${mount.folder.slice(real.length)}` }))
    .toReversed();
}
