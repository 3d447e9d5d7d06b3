/**
 * How large a volume in memory may grow: all that pods may use on this node, or what this pod may use, or
 * what the volume says, whichever is least. Its pages count as memory of the pod.
 */
import type { Pod } from '../../api/pod.ts';
import { quantityValue } from '../../api/quantity.ts';
import { readQuantity } from '../../api/quantity-text.ts';
import type { ResourceList } from '../../api/resources.ts';
import { initAndRegularContainers } from '../../core/pod-facts.ts';
import { podLimits } from '../../core/pod-resources.ts';

/** Undefined: nobody set a limit, and the kernel's own counts. */
export function memoryVolumeBytes(
  pod: Pod,
  allocatable: ResourceList,
  sizeLimit?: string | number,
): bigint | undefined {
  const limits = [amountOf(allocatable), podMemoryLimit(pod), bytesOf(sizeLimit)].filter(
    (bytes) => bytes !== undefined && bytes > 0n,
  );
  return limits.reduce((least, bytes) => {
    if (least === undefined || bytes === undefined) return bytes ?? least;
    return bytes < least ? bytes : least;
  }, undefined);
}

/** A pod is only as limited as its least limited container. */
function podMemoryLimit(pod: Pod): bigint | undefined {
  if (pod.spec.resources?.limits) return amountOf(pod.spec.resources.limits);
  const areAllLimited = initAndRegularContainers(pod.spec).every(
    ({ resources }) => amountOf(resources?.limits ?? {}) !== undefined,
  );
  return areAllLimited ? amountOf(podLimits(pod)) : undefined;
}

function amountOf(list: ResourceList): bigint | undefined {
  return bytesOf(Object.hasOwn(list, 'memory') ? list['memory'] : undefined);
}

function bytesOf(amount: string | number | undefined): bigint | undefined {
  return amount === undefined ? undefined : quantityValue(readQuantity(amount));
}
