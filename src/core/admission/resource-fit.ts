/**
 * Is there room on the node for what a pod asks for?
 *
 *     asked > allocatable - what the others were granted  =>  there is not
 *
 * Counted in whole units, cpu in thousandths: each pod is rounded up before it is added, as the
 * scheduler does, so both come to the same answer. Names that are neither cpu, memory,
 * ephemeral-storage nor some countable thing of the node are nobody's business here.
 */
import type { Container, Pod } from '../../api/pod.ts';
import { quantityMilliValue, quantityValue, type Quantity } from '../../api/quantity.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isLabelKey } from '../../api/validation-names.ts';
import { podRequests } from '../pod-resources.ts';
import { amountsOf } from '../resource-amounts.ts';

/** A resource that the pod asks for and the node does not have. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

type Counts = ReadonlyMap<string, bigint>;

const PODS = 'pods';
const BASIC: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_PREFIX = 'requests.';
const HOME = 'kubernetes.io/';

/** In the order in which the kubelet names them; the first is the one that people hear of. */
export function findShortages(
  pod: Pod,
  others: readonly Pod[],
  allocatable: ResourceList,
): readonly Shortage[] {
  const capacity = countsOf(allocatable);
  const asked = requestCounts(withoutForeignRequests(pod, capacity));
  const names = [...BASIC, ...[...asked.keys()].filter((name) => !BASIC.includes(name))];
  // What the pod does not ask for is not added up: most ask for little, and the others may be many.
  const requests = [PODS, ...names]
    .map((resource) => ({
      resource,
      requested: resource === PODS ? 1n : (asked.get(resource) ?? 0n),
    }))
    .filter(({ requested }) => requested > 0n);
  const shortages = requests.map(({ resource, requested }) => ({
    resource,
    requested,
    used: resource === PODS ? BigInt(others.length) : usedOf(resource, others),
    capacity: capacity.get(resource) ?? 0n,
  }));
  return shortages.filter((one) => missingOf(one) > 0n);
}

/** How much would have to become free. */
export function missingOf({ requested, used, capacity }: Shortage): bigint {
  return requested - (capacity - used);
}

/** What leaves the books of the node together with this pod. */
export function requestOf(pod: Pod, resource: string): bigint {
  return resource === PODS ? 1n : (requestCounts(pod).get(resource) ?? 0n);
}

function usedOf(resource: string, others: readonly Pod[]): bigint {
  let sum = 0n;
  for (const other of others) sum += requestCounts(other).get(resource) ?? 0n;
  return sum;
}

/** Pods never change, so what they ask for is added up once, however many others come after. */
const remembered = new WeakMap<Pod, Counts>();

function requestCounts(pod: Pod): Counts {
  const known = remembered.get(pod);
  if (known) return known;
  const counts = countsOf(podRequests(pod));
  remembered.set(pod, counts);
  return counts;
}

function countsOf(list: ResourceList): Counts {
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
function isExtended(name: string): boolean {
  if (!name.includes('/') || name.includes(HOME) || name.startsWith(QUOTA_PREFIX)) return false;
  return isLabelKey(`${QUOTA_PREFIX}${name}`);
}

/**
 * Without the extended resources that are not the node's to give: those that it does not have are
 * the cluster's, and those that a claim stands for are handed out with the claim.
 */
function withoutForeignRequests(pod: Pod, capacity: Counts): Pod {
  const { containers, initContainers = [] } = pod.spec;
  const isForeign = (container: string, name: string): boolean =>
    isExtended(name) && (!capacity.has(name) || isClaimed(pod, container, name));
  const all = [...containers, ...initContainers];
  const hasForeign = all.some(({ name: container, resources }) =>
    Object.keys(resources?.requests ?? {}).some((name) => isForeign(container, name)),
  );
  if (!hasForeign) return pod;
  const strip = (container: Container): Container => {
    const { requests = {} } = container.resources ?? {};
    const own = Object.entries(requests).filter(([name]) => !isForeign(container.name, name));
    return {
      ...container,
      resources: { ...container.resources, requests: Object.fromEntries(own) },
    };
  };
  const spec = {
    ...pod.spec,
    containers: containers.map(strip),
    initContainers: initContainers.map(strip),
  };
  return { ...pod, spec };
}

interface ClaimStatus {
  readonly requestMappings?: readonly {
    readonly containerName?: string;
    readonly resourceName?: string;
  }[];
}

function isClaimed({ status }: Pod, container: string, resource: string): boolean {
  const claim: ClaimStatus | undefined = status?.extendedResourceClaimStatus;
  return (
    claim?.requestMappings?.some(
      ({ containerName, resourceName }) => containerName === container && resourceName === resource,
    ) ?? false
  );
}
