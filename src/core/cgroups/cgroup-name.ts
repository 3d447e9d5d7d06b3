/**
 * Names of control groups, and how each of the two drivers writes them.
 *
 *     [kubepods, burstable, pod1-2]
 *     cgroupfs   /kubepods/burstable/pod1-2
 *     systemd    /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice
 *
 * A dash leads down one level in a name of systemd, so a dash that is none is written as an underscore.
 */
import type { QosClass } from '../../api/pod.ts';

export type CgroupName = readonly string[];

export type CgroupDriver = 'cgroupfs' | 'systemd';

const PODS = 'kubepods';
const POD_PREFIX = 'pod';
const SLICE = '.slice';

/** `root`: what the configuration calls cgroupRoot. */
export function podsCgroup(root: string): CgroupName {
  return [...root.split('/').filter((part) => part !== ''), PODS];
}

/** Pods that have all that they asked for are right below the group of all pods. */
export function qosCgroup(pods: CgroupName, qos: QosClass): CgroupName {
  return qos === 'Guaranteed' ? pods : [...pods, qos.toLowerCase()];
}

export function podCgroup(pods: CgroupName, qos: QosClass, podUid: string): CgroupName {
  return [...qosCgroup(pods, qos), `${POD_PREFIX}${podUid}`];
}

/** Null: it is not the group of a pod. `last`: the last part of a path, as the driver writes it. */
export function podUidOf(last: string, driver: CgroupDriver): string | null {
  const part = driver === 'systemd' ? lastPartOfSlice(last) : last;
  const isPod = part.startsWith(POD_PREFIX) && part.length > POD_PREFIX.length;
  return isPod ? part.slice(POD_PREFIX.length) : null;
}

/** The path of the group below the mount points, and what a runtime is told. */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  if (driver === 'cgroupfs') return `/${name.join('/')}`;
  const slices = name.map((_, index) => sliceName(name.slice(0, index + 1)));
  return `/${slices.join('/')}`;
}

/** The unit that systemd knows it as. */
export function sliceName(name: CgroupName): string {
  return `${name.map((part) => part.replaceAll('-', '_')).join('-')}${SLICE}`;
}

function lastPartOfSlice(unit: string): string {
  const bare = unit.endsWith(SLICE) ? unit.slice(0, -SLICE.length) : '';
  return bare.slice(bare.lastIndexOf('-') + 1).replaceAll('_', '-');
}
