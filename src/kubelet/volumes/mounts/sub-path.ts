/**
 * A sub path of a volume, to be mounted alone. If it is missing, it is made as a folder.
 *
 * The path cannot leave the volume (volume-walk.ts). If this user may mount, exactly the file at its end is
 * bound to a folder that containers cannot access, so none can replace it between this check and the start
 * of the container. Otherwise the runtime opens it once more, from the volume's own folder.
 */
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mountsIn, type Mounter } from './mounter.ts';
import { VolumeWalk } from '../volume-walk.ts';

export interface SubPathRequest {
  /** The volume, on the host. */
  readonly volumePath: string;
  readonly subPath: string;
  /** The target of the bind mount, if one can be made. */
  readonly target: string;
}

export interface SubPath {
  /** The path to mount. */
  readonly hostPath: string;
  /**
   * Absent: `hostPath` is the very file that was found. Otherwise the runtime must not leave this folder.
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
  // From an earlier run of the container, perhaps of another file.
  for (const { folder } of await mountsIn(mounter, target)) await mounter.unmount(folder);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o750 });
  if (walk.isFolder) await mkdir(target, { recursive: true, mode: 0o750 });
  else await writeFile(target, '', { flag: 'a' });
  await mounter.bind(walk.link, target);
}
