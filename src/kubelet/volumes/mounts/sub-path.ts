/**
 * Opens the subPath of a volume mount, so that a container gets only that file or folder. A missing subPath
 * is created as a folder.
 *
 * The path cannot leave the volume (volume-walk.ts). If podkeep has the permission to mount, it bind-mounts
 * the opened file to a folder that containers cannot access, so no container can replace the file between
 * this check and the start of the container. Otherwise the runtime opens the path again, below the volume's
 * folder.
 */
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mountsIn, type Mounter } from './mounter.ts';
import { VolumeWalk } from '../volume-walk.ts';

export interface SubPathRequest {
  /** The path of the volume on the host. */
  readonly volumePath: string;
  readonly subPath: string;
  /** The target of the bind mount, if one can be made. */
  readonly target: string;
}

export interface SubPath {
  /** The path to mount. */
  readonly hostPath: string;
  /**
   * The folder that the runtime must not leave when it opens `hostPath`. Absent: `hostPath` is a bind mount
   * of the file that was checked.
   */
  readonly volumePath?: string;
}

/** Throws if the path leaves the volume. */
export async function openSubPath(mounter: Mounter, request: SubPathRequest): Promise<SubPath> {
  const walk = await VolumeWalk.begin(request.volumePath, true);
  try {
    await walk.go(request.subPath);
    if (!(await mounter.isPermitted())) {
      return { hostPath: walk.path, volumePath: await realpath(request.volumePath) };
    }
    await bindTo(mounter, walk, request.target);
    return { hostPath: request.target };
  } finally {
    await walk.close();
  }
}

async function bindTo(mounter: Mounter, walk: VolumeWalk, target: string): Promise<void> {
  // The target may still be mounted from an earlier run of the container, perhaps with another file.
  for (const { folder } of await mountsIn(mounter, target)) await mounter.unmount(folder);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o750 });
  if (walk.isFolder) await mkdir(target, { recursive: true, mode: 0o750 });
  else await writeFile(target, '', { flag: 'a' });
  await mounter.bind(walk.link, target);
}
