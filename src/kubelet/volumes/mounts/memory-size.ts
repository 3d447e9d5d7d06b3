/**
 * Computes the size limit of a tmpfs volume: the least of the node's allocatable memory, the pod's memory
 * limit and the volume's sizeLimit. Its pages count as memory of the pod.
 */
import type { Pod } from '../../../api/pod.ts';
import { quantityValue } from '../../../api/values/quantity.ts';
import { readQuantity } from '../../../api/values/quantity-text.ts';
import type { ResourceList } from '../../../api/resources.ts';
import { initAndRegularContainers } from '../../../core/pod/pod-facts.ts';
import { podLimits } from '../../../core/resources/pod-resources.ts';

/** Undefined: there is no limit, and the kernel's default size applies. */
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

/** Without a pod-level limit, the pod has a limit only if all its containers have one. */
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
