/**
 * Names the cgroups of pods, and converts names to paths for the cgroupfs and the systemd driver.
 *
 *     [kubepods, burstable, pod1-2]
 *     cgroupfs   /kubepods/burstable/pod1-2
 *     systemd    /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice
 *
 * In a systemd name a dash separates levels, so a dash within a level is written as an underscore.
 */
import type { QosClass } from '../../api/pod.ts';

export type CgroupName = readonly string[];

export type CgroupDriver = 'cgroupfs' | 'systemd';

const PODS = 'kubepods';
const POD_PREFIX = 'pod';
const SLICE = '.slice';

/** `root`: cgroupRoot of the configuration. */
export function podsCgroup(root: string): CgroupName {
  return [...root.split('/').filter((part) => part !== ''), PODS];
}

/** Guaranteed pods are directly below the cgroup of all pods. */
export function qosCgroup(pods: CgroupName, qos: QosClass): CgroupName {
  return qos === 'Guaranteed' ? pods : [...pods, qos.toLowerCase()];
}

export function podCgroup(pods: CgroupName, qos: QosClass, podUid: string): CgroupName {
  return [...qosCgroup(pods, qos), `${POD_PREFIX}${podUid}`];
}

/** Null: it is not the cgroup of a pod. `last`: the last part of a path, as the driver writes it. */
export function podUidOf(last: string, driver: CgroupDriver): string | null {
  const part = driver === 'systemd' ? lastPartOfSlice(last) : last;
  const isPod = part.startsWith(POD_PREFIX) && part.length > POD_PREFIX.length;
  return isPod ? part.slice(POD_PREFIX.length) : null;
}

/** The path of the cgroup below the mount points, and the cgroup parent for a runtime. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === 'cgroupfs') return `/${name.join('/')}`;
  const slices = name.map((_, index) => sliceName(name.slice(0, index + 1)));
  return `/${slices.join('/')}`;
}

/** The systemd unit of the cgroup. */
export function sliceName(name: CgroupName): string {
  return `${name.map((part) => part.replaceAll('-', '_')).join('-')}${SLICE}`;
}

function lastPartOfSlice(unit: string): string {
  const bare = unit.endsWith(SLICE) ? unit.slice(0, -SLICE.length) : '';
  return bare.slice(bare.lastIndexOf('-') + 1).replaceAll('_', '-');
}
