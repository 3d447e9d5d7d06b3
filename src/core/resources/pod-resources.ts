/**
 * Computes the requests and limits of a pod as a whole.
 *
 *     the larger of  regular + all sidecars
 *               and  each init container + the sidecars before it
 *     then           the pod-level `resources` replace them (cpu, memory, hugepages)
 *     then           the overhead is added
 *
 * A sidecar starts before the init containers that the spec lists after it, and keeps running, so it is
 * counted in both sums. Overhead is added only to limits that are set: a pod without a limit stays without
 * one.
 */
import { isZeroQuantity } from '../../api/values/quantity.ts';
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isSidecar } from '../pod/pod-facts.ts';
import {
  addAmounts,
  amountsOf,
  maxAmounts,
  resourceListOf,
  type Amounts,
} from '../../api/values/resource-amounts.ts';

export function podRequests(pod: Pod): ResourceList {
  const { overhead, resources } = pod.spec;
  const containers = sumContainers(pod, ({ resources: own }) => own?.requests);
  const requests = override(containers, resources?.requests);
  return resourceListOf(addAmounts(requests, amountsOf(overhead)));
}

export function podLimits(pod: Pod): ResourceList {
  const { overhead, resources } = pod.spec;
  const containers = sumContainers(pod, ({ resources: own }) => own?.limits);
  const limits = override(containers, resources?.limits);
  const limited = [...amountsOf(overhead)].filter(([name]) => {
    const limit = limits.get(name);
    return limit && !isZeroQuantity(limit);
  });
  return resourceListOf(addAmounts(limits, new Map(limited)));
}

function sumContainers(
  { spec }: Pod,
  listOf: (container: Container) => ResourceList | undefined,
): Amounts {
  let running: Amounts = new Map();
  for (const container of spec.containers) {
    running = addAmounts(running, amountsOf(listOf(container)));
  }
  let sidecars: Amounts = new Map();
  let initializing: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(listOf(container));
    if (isSidecar(container)) {
      running = addAmounts(running, own);
      sidecars = addAmounts(sidecars, own);
      initializing = maxAmounts(initializing, sidecars);
    } else {
      initializing = maxAmounts(initializing, addAmounts(own, sidecars));
    }
  }
  return maxAmounts(running, initializing);
}

function override(amounts: Amounts, podLevel: ResourceList | undefined): Amounts {
  const own = [...amountsOf(podLevel)].filter(([name]) => isPodLevelResource(name));
  return own.length > 0 ? new Map([...amounts, ...own]) : amounts;
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}
