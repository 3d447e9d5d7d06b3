/**
 * Finds the resources that a pod requests and the node does not have left.
 *
 *     requested > allocatable - requested by the other pods  =>  shortage
 */
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { Others } from './other-pods.ts';
import {
  BASIC,
  countsOf,
  isExtended,
  PODS,
  requestCounts,
  type Counts,
} from './resource-counts.ts';

/** A resource of which the pod requests more than the node has left. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

/** In the kubelet's order; only the first is reported. */
export function findShortages(
  pod: Pod,
  others: Others,
  allocatable: ResourceList,
): readonly Shortage[] {
  const capacity = countsOf(allocatable);
  const asked = requestCounts(withoutForeignRequests(pod, capacity));
  const names = [...BASIC, ...[...asked.keys()].filter((name) => !BASIC.includes(name))];
  const requests = [PODS, ...names]
    .map((resource) => ({
      resource,
      requested: resource === PODS ? 1n : (asked.get(resource) ?? 0n),
    }))
    .filter(({ requested }) => requested > 0n);
  const shortages = requests.map(({ resource, requested }) => ({
    resource,
    requested,
    used: others.requested(resource),
    capacity: capacity.get(resource) ?? 0n,
  }));
  return shortages.filter((one) => missingOf(one) > 0n);
}

/** How much of the resource would have to become free. */
export function missingOf({ requested, used, capacity }: Shortage): bigint {
  return requested - (capacity - used);
}

/** How much of the resource becomes free when this pod is gone. */
export function requestOf(pod: Pod, resource: string): bigint {
  return resource === PODS ? 1n : (requestCounts(pod).get(resource) ?? 0n);
}

/**
 * Leaves out extended resources that this node does not account for: cluster-level resources, which are not
 * in the node's capacity, and resources that a ResourceClaim provides.
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
