/**
 * What pods ask for, counted in whole units, cpu in thousandths: each pod is rounded up before it is
 * added, as the scheduler does, so both come to the same answer. Names that are neither cpu, memory,
 * ephemeral-storage nor some countable thing of the node are nobody's business here.
 */
import type { Pod } from '../../api/pod.ts';
import { quantityMilliValue, quantityValue, type Quantity } from '../../api/quantity.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isLabelKey } from '../../api/validation-names.ts';
import { podRequests } from '../pod-resources.ts';
import { amountsOf } from '../resource-amounts.ts';

export type Counts = ReadonlyMap<string, bigint>;

/** Every pod takes one of them. */
export const PODS = 'pods';
export const BASIC: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_PREFIX = 'requests.';
const HOME = 'kubernetes.io/';

/** Pods never change, so what they ask for is added up once, however many others come after. */
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

/** A thing that somebody else than Kubernetes has named. */
export function isExtended(name: string): boolean {
  if (!name.includes('/') || name.includes(HOME) || name.startsWith(QUOTA_PREFIX)) return false;
  return isLabelKey(`${QUOTA_PREFIX}${name}`);
}
