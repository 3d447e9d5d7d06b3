/** The model's own answer: does a pod use more of the disk than its own limits allow? */
import type { Pod } from '../../../src/api/pod.ts';
import type { NodeResources } from './node-resources.ts';
import { traitsOf } from './pod-traits.ts';

export function isAboveLimits(pod: Pod, node: NodeResources): boolean {
  const use = node.useOf(pod.metadata.uid ?? '');
  const { volume, diskLimits } = traitsOf(pod);
  if (!use) return false;
  const limitBytes = volume?.limitBytes ?? null;
  if (limitBytes !== null && use.volume.bytes > limitBytes) return true;
  if (diskLimits.size === 0) return false;
  const used = use.containers.reduce((sum, { rootfs, logs }) => sum + rootfs.bytes + logs.bytes, 0);
  const all = [...diskLimits.values()].reduce((sum, limit) => sum + limit, 0);
  if (used + (volume ? use.volume.bytes : 0) > all) return true;
  return use.containers.some(({ name, rootfs, logs }) => {
    const limit = diskLimits.get(name);
    const own = logs.bytes + (node.layout === 'single' ? rootfs.bytes : 0);
    return limit !== undefined && own > limit;
  });
}
