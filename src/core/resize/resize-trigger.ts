/**
 * Decides whether an update of a pod requests a resize, and whether it frees resources for the resizes of
 * other pods.
 */
import type { Container, ContainerStatus, Pod } from '../../api/pod.ts';
import { compareQuantities, isZeroQuantity } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import { structOf } from '../../api/schema/schema.ts';
import { semanticallyEqual } from '../../api/values/semantic-equal.ts';
import { findCondition } from '../../api/condition.ts';
import { RESIZE_PENDING } from '../pod-status/condition-ownership.ts';
import {
  findStatus,
  initAndRegularContainers,
  isSidecar,
  isTerminalPhase,
} from '../pod/pod-facts.ts';
import { podRequests } from '../resources/pod-resources.ts';
import { amountsOf, maxAmounts, resourceListOf } from '../../api/values/resource-amounts.ts';

/** One resource of one container that a new spec changes. */
export interface ResourceChange {
  readonly resource: 'cpu' | 'memory';
  readonly requirement: 'requests' | 'limits';
  readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
}

const RESOURCES = ['memory', 'cpu'] as const;
const REQUIREMENTS = ['requests', 'limits'] as const;

export function findResourceChanges(before: Pod, after: Pod): readonly ResourceChange[] {
  const newer = new Map(initAndRegularContainers(after.spec).map((one) => [one.name, one]));
  return initAndRegularContainers(before.spec).flatMap(({ name, resources }) => {
    const now = newer.get(name);
    return now ? changesBetween(resources, now.resources) : [];
  });
}

/** Did the pod-level resources change? */
export function changesPodLevel(before: Pod, after: Pod): boolean {
  const [old, now] = [before.spec.resources, after.spec.resources];
  if (!old || !now) return old !== now;
  return !semanticallyEqual(old, now, structOf('core/v1.ResourceRequirements'));
}

/** Both pods have their allocation in the spec: did this pod free resources? */
export function whatWasFreed(before: Pod, after: Pod): 'pod_terminated' | 'pod_resized' | null {
  const hasEnded = isTerminalPhase(after.status?.phase) && !isTerminalPhase(before.status?.phase);
  if (hasEnded) return 'pod_terminated';
  const [old, now] = [requestsInForce(before), requestsInForce(after)];
  const shrank = RESOURCES.some((name) => {
    const [was, is] = [readQuantity(old[name] ?? 0), readQuantity(now[name] ?? 0)];
    return compareQuantities(is, was) < 0;
  });
  return shrank ? 'pod_resized' : null;
}

function changesBetween(
  old: ResourceRequirements = {},
  now: ResourceRequirements = {},
): readonly ResourceChange[] {
  return RESOURCES.flatMap((resource) =>
    REQUIREMENTS.flatMap((requirement) => {
      const operation = operationOf(old[requirement]?.[resource], now[requirement]?.[resource]);
      return operation ? [{ resource, requirement, operation }] : [];
    }),
  );
}

function operationOf(
  old: string | number = 0,
  now: string | number = 0,
): ResourceChange['operation'] | null {
  const [was, is] = [readQuantity(old), readQuantity(now)];
  const order = compareQuantities(is, was);
  if (order === 0) return null;
  if (isZeroQuantity(was)) return 'add';
  if (isZeroQuantity(is)) return 'remove';
  return order > 0 ? 'increase' : 'decrease';
}

/** A container that shrinks counts with its old resources until its status shows the new ones. */
function requestsInForce(pod: Pod): ResourceList {
  const { spec, status } = pod;
  const infeasible = findCondition(status?.conditions, RESIZE_PENDING)?.reason === 'Infeasible';
  const inForce = (
    container: Container,
    statuses: readonly ContainerStatus[] | undefined,
  ): Container => {
    const found = findStatus(statuses, container.name);
    if (!found?.resources) return container;
    const wanted = infeasible ? undefined : container.resources?.requests;
    const requests = largest(wanted, found.resources.requests, found.allocatedResources);
    return { ...container, resources: { ...container.resources, requests } };
  };
  return podRequests({
    ...pod,
    spec: {
      ...spec,
      containers: spec.containers.map((one) => inForce(one, status?.containerStatuses)),
      initContainers: (spec.initContainers ?? []).map((one) =>
        isSidecar(one) ? inForce(one, status?.initContainerStatuses) : one,
      ),
      ...podLevelInForce(pod, infeasible),
    },
  });
}

function podLevelInForce({ spec: { resources }, status }: Pod, infeasible: boolean) {
  const { requests } = resources ?? {};
  if (!requests || !status?.resources) return undefined;
  const wanted = infeasible ? undefined : requests;
  const all = largest(wanted, status.resources.requests, status.allocatedResources);
  const own = Object.keys(requests).map((name) => [name, all[name] ?? 0] as const);
  return { resources: { ...resources, requests: Object.fromEntries(own) } };
}

function largest(...lists: readonly (ResourceList | undefined)[]): ResourceList {
  return resourceListOf(
    lists.map((list) => amountsOf(list)).reduce((all, one) => maxAmounts(all, one)),
  );
}
