/**
 * Builds the paths of a pod's volumes, which are those of Kubernetes' kubelet:
 *
 *     ROOT/pods/UID/volumes/kubernetes.io~KIND/NAME
 *     ROOT/pods/UID/volume-subpaths/NAME/CONTAINER/N
 *     ROOT/pods/UID/etc-hosts
 *
 * UIDs and names come from the API and become names of folders: a name that could lead out of its folder is
 * refused.
 */
import path from 'node:path';
import { volumeNameInvalid } from './volume-errors.ts';

export type VolumeKind = 'empty-dir' | 'configmap' | 'secret' | 'downward-api' | 'projected';

export interface SubPathTarget {
  readonly volume: string;
  readonly container: string;
  /** The index of the mount in its container. */
  readonly index: number;
}

export class VolumeLayout {
  readonly #root: string;

  /** `root` is absolute, such as /var/lib/podkeep. */
  constructor(root: string) {
    this.#root = root;
  }

  get podsFolder(): string {
    return path.join(this.#root, 'pods');
  }

  podFolder(uid: string): string {
    return path.join(this.podsFolder, checkName(uid));
  }

  volumesFolder(uid: string): string {
    return path.join(this.podFolder(uid), 'volumes');
  }

  volumeFolder(uid: string, kind: VolumeKind, name: string): string {
    return path.join(this.volumesFolder(uid), `kubernetes.io~${kind}`, checkName(name));
  }

  subPathsFolder(uid: string): string {
    return path.join(this.podFolder(uid), 'volume-subpaths');
  }

  subPathTarget(uid: string, { volume, container, index }: SubPathTarget): string {
    const folder = path.join(this.subPathsFolder(uid), checkName(volume), checkName(container));
    return path.join(folder, String(index));
  }

  hostsFile(uid: string): string {
    return path.join(this.podFolder(uid), 'etc-hosts');
  }
}

export function checkName(name: string): string {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
  if (!isPlain) throw volumeNameInvalid({ name });
  return name;
}
