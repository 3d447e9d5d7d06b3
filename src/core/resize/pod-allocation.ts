/**
 * Reads the allocation of a pod from its spec, and applies an allocation to it (E-3).
 *
 * The spec in the API has the desired resources, but until a resize is granted the pod has the resources that
 * were allocated last. So all code that runs or counts pods uses a spec with the allocation in it.
 */
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { structOf } from '../../api/schema/schema.ts';
import { semanticallyEqual } from '../../api/values/semantic-equal.ts';
import { mapShared } from '../../lib/share.ts';
import { initAndRegularContainers } from '../pod/pod-facts.ts';

export interface PodAllocation {
  /** By container name. */
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** Of the pod as a whole, if it has any. */
  readonly pod?: ResourceRequirements | undefined;
}

/** All containers that can be resized: init containers as well, before they have run. */
export function allocationOf({ spec }: Pod): PodAllocation {
  const containers = new Map(
    initAndRegularContainers(spec).map(({ name, resources }) => [name, resources ?? {}]),
  );
  return { containers, pod: spec.resources };
}

/** The same object, if the pod requests exactly its allocation. */
export function withAllocation(pod: Pod, allocation: PodAllocation): Pod {
  const { containers, initContainers } = pod.spec;
  const grant = (container: Container): Container => {
    const granted = allocation.containers.get(container.name);
    if (!granted || isSame(container.resources ?? {}, granted)) return container;
    return { ...container, resources: granted };
  };
  const regular = mapShared(containers, grant);
  const init = initContainers && mapShared(initContainers, grant);
  const isSamePod = isSame(pod.spec.resources, allocation.pod);
  if (regular === containers && init === initContainers && isSamePod) return pod;
  const { resources, ...rest } = pod.spec;
  const own = isSamePod ? resources : allocation.pod;
  return {
    ...pod,
    spec: {
      ...rest,
      containers: regular,
      ...(init && { initContainers: init }),
      ...(own && { resources: own }),
    },
  };
}

/** Absent resources and empty resources are different. */
function isSame(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return semanticallyEqual(a, b, structOf('core/v1.ResourceRequirements'));
}
