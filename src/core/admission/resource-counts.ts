/**
 * Sums the requests of pods, CPU in millicores and others in whole units. Each pod is rounded up before it is
 * added, as the scheduler does, so that the kubelet and the scheduler reach the same result. Besides cpu,
 * memory and ephemeral-storage only extended resources and huge pages of the node count.
 */
import type { Pod } from '../../api/pod.ts';
import { quantityMilliValue, quantityValue, type Quantity } from '../../api/values/quantity.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isLabelKey } from '../../api/validation-names.ts';
import { podRequests } from '../resources/pod-resources.ts';
import { amountsOf } from '../../api/values/resource-amounts.ts';

export type Counts = ReadonlyMap<string, bigint>;

/** Every pod uses one. */
export const PODS = 'pods';
export const BASIC: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_PREFIX = 'requests.';
const HOME = 'kubernetes.io/';

/** Pod objects are immutable, so the requests of each are added up once. */
const remembered = new WeakMap<Pod, Counts>();

export function requestCounts(pod: Pod): Counts {
  const known = remembered.get(pod);
  if (known) return known;
  const counts = countsOf(podRequests(pod));
  remembered.set(pod, counts);
  return counts;
}

export function countsOf(list: ResourceList): Counts {
  const counted = [...amountsOf(list)].filter(
    ([name]) => name === PODS || BASIC.includes(name) || isCountable(name),
  );
  return new Map(counted.map(([name, amount]) => [name, countOf(name, amount)]));
}

function countOf(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? quantityMilliValue(amount) : quantityValue(amount);
}

function isCountable(name: string): boolean {
  return (
    isExtended(name) ||
    name.startsWith('hugepages-') ||
    name.startsWith('attachable-volumes-') ||
    name.includes(HOME)
  );
}

/** An extended resource: its domain is not Kubernetes' own. */
export function isExtended(name: string): boolean {
  if (!name.includes('/') || name.includes(HOME) || name.startsWith(QUOTA_PREFIX)) return false;
  return isLabelKey(`${QUOTA_PREFIX}${name}`);
}
