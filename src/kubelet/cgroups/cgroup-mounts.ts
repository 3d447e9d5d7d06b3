/**
 * Finds where the kernel's cgroup file systems are mounted, and their version.
 *
 *     version 2   /sys/fs/cgroup                    one tree
 *     version 1   /sys/fs/cgroup/CONTROLLER         one tree per controller; some controllers share a tree
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CgroupVersion } from '../../core/cgroups/cgroup-files.ts';

export interface CgroupMounts {
  readonly version: CgroupVersion;
  /** By controller. In version 2 all of them are in one folder. */
  readonly folders: ReadonlyMap<string, string>;
}

const UNIFIED = '/sys/fs/cgroup';
/** The controllers in which the kubelet creates the cgroups of pods; a runtime may use more. */
const POD_CONTROLLERS = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];

/** `root`: where the kernel's file systems are, `/` except in tests. */
export async function findCgroupMounts(root = '/'): Promise<CgroupMounts> {
  const unified = path.join(root, UNIFIED);
  const offered = await readFile(path.join(unified, 'cgroup.controllers'), 'utf8').catch(
    () => null,
  );
  if (offered !== null) {
    const controllers = offered.trim().split(/\s+/);
    const used = POD_CONTROLLERS.filter((name) => controllers.includes(name));
    return { version: 2, folders: new Map(used.map((name) => [name, unified])) };
  }
  const mounts = await readFile(path.join(root, 'proc/self/mountinfo'), 'utf8').catch(() => '');
  return { version: 1, folders: new Map(separateTrees(mounts, root)) };
}

function separateTrees(mountInfo: string, root: string): readonly (readonly [string, string])[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [place = '', kind = ''] = line.split(' - ');
    const [type, , options = ''] = kind.split(' ');
    const folder = place.split(' ')[4];
    if (type !== 'cgroup' || folder === undefined) return [];
    return options.split(',').flatMap((option) => {
      if (option === 'rw' || option === 'ro' || option.includes('_agent=')) return [];
      const controller = option.startsWith('name=') ? option.slice('name='.length) : option;
      return /^[a-z_]+$/.test(controller) ? [[controller, path.join(root, folder)] as const] : [];
    });
  });
}
