/**
 * Computes the QoS class of a pod from its requests and limits.
 *
 *   Guaranteed   every container limits cpu and memory, and requests exactly that much
 *   Burstable    anything in between
 *   BestEffort   no requests and no limits
 *
 * Only cpu and memory count. If the pod has pod-level resources, its containers do not count.
 */
import { compareQuantities, signOfQuantity } from '../../api/values/quantity.ts';
import type { Pod, QosClass } from '../../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import { addAmounts, amountsOf, type Amounts } from '../../api/values/resource-amounts.ts';

export function qosClass({ spec }: Pod): QosClass {
  const asked: readonly ResourceRequirements[] = spec.resources
    ? [spec.resources]
    : [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});

  let requests: Amounts = new Map();
  let limits: Amounts = new Map();
  let isLimited = true;
  for (const own of asked) {
    const ownLimits = counted(own.limits);
    requests = addAmounts(requests, counted(own.requests));
    limits = addAmounts(limits, ownLimits);
    // A pod with requests but without any limits is decided by the comparison below.
    const needsBoth = !spec.resources || Object.keys(own.limits ?? {}).length > 0;
    if (needsBoth && ownLimits.size < 2) isLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return isLimited && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

function counted(list: ResourceList | undefined): Amounts {
  return new Map(
    [...amountsOf(list)].filter(
      ([name, quantity]) => (name === 'cpu' || name === 'memory') && signOfQuantity(quantity) > 0,
    ),
  );
}

function isSame(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, quantity]) => {
    const other = b.get(name);
    return other !== undefined && compareQuantities(quantity, other) === 0;
  });
}
