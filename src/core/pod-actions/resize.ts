/**
 * Plans in-place resizes of containers, by comparing their allocated with their actual resources (E-2 to
 * E-4).
 *
 * A container whose resize policy is RestartContainer is restarted with its new resources. Other containers
 * are updated while they run: first those that shrink, then those that grow, so that the pod never uses more
 * than its allocation.
 */
import { quantityMilliValue, quantityValue } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { Container } from '../../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type {
  ContainerUpdate,
  Draft,
  PodActionsView,
  ResizableResource,
  ResourceNumbers,
} from './plan.ts';

/** Returns whether the running container is kept; if not, `restart` was called. */
export function planResize(
  view: PodActionsView,
  draft: Draft,
  container: Container,
  { id }: RuntimeContainer,
  restart: () => void,
): boolean {
  if (!view.actuated) return true;
  const { name } = container;
  const desired = desiredNumbers(view, container);
  const current = actuatedNumbers(view, container);
  const resized = (['memory', 'cpu'] as const).filter((resource) =>
    differs(desired, current, resource),
  );
  if (resized.some((resource) => restartsFor(container, resource))) {
    draft.containersToKill.push({ id, name, message: `Container ${name} resize requires restart` });
    draft.updatePodResources = true;
    restart();
    return false;
  }
  for (const resource of resized) {
    addUpdate(draft.containersToUpdate[resource], resource, { id, name, desired, current });
  }
  return true;
}

/** Is any container about to start with other resources than were applied last? */
export function isStartingResized(
  view: PodActionsView,
  containers: readonly Container[],
  indexes: readonly number[],
): boolean {
  if (!view.actuated) return false;
  return indexes.some((index) => {
    const container = containers[index];
    if (!container) return false;
    const desired = desiredNumbers(view, container);
    const current = actuatedNumbers(view, container);
    return differs(desired, current, 'memory') || differs(desired, current, 'cpu');
  });
}

/** Did the pod-level resources change? */
export function needsPodLevelResize({ pod, actuated }: PodActionsView): boolean {
  if (!actuated) return false;
  const desired = numbersOf(pod.spec.resources);
  const current = numbersOf(actuated.pod);
  return differs(desired, current, 'memory') || differs(desired, current, 'cpu');
}

function addUpdate(
  updates: ContainerUpdate[],
  resource: ResizableResource,
  update: ContainerUpdate,
): void {
  const { limit, request } = FIELDS[resource];
  const { desired, current } = update;
  const field = desired[limit] === current[limit] ? request : limit;
  if (desired[field] > current[field]) updates.push(update);
  else updates.unshift(update);
}

const FIELDS = {
  cpu: { limit: 'cpuLimit', request: 'cpuRequest' },
  memory: { limit: 'memoryLimit', request: 'memoryRequest' },
} as const;

function differs(a: ResourceNumbers, b: ResourceNumbers, resource: ResizableResource): boolean {
  const { limit, request } = FIELDS[resource];
  return a[limit] !== b[limit] || a[request] !== b[request];
}

function restartsFor({ resizePolicy }: Container, resource: ResizableResource): boolean {
  const policy = resizePolicy?.find(({ resourceName }) => resourceName === resource);
  return policy?.restartPolicy === 'RestartContainer';
}

function desiredNumbers({ pod }: PodActionsView, container: Container): ResourceNumbers {
  return numbersOf(container.resources, pod.spec.resources);
}

function actuatedNumbers({ actuated }: PodActionsView, { name }: Container): ResourceNumbers {
  return numbersOf(actuated?.containers.get(name), actuated?.pod);
}

/** A container without a limit has the pod's. */
function numbersOf(own?: ResourceRequirements, pod?: ResourceRequirements): ResourceNumbers {
  return {
    memoryLimit: bytes(own?.limits) || bytes(pod?.limits),
    memoryRequest: bytes(own?.requests),
    cpuLimit: milli(own?.limits) || milli(pod?.limits),
    cpuRequest: milli(own?.requests),
  };
}

function bytes(list: ResourceList | undefined): bigint {
  const memory = list?.['memory'];
  return memory === undefined ? 0n : quantityValue(readQuantity(memory));
}

function milli(list: ResourceList | undefined): bigint {
  const cpu = list?.['cpu'];
  return cpu === undefined ? 0n : quantityMilliValue(readQuantity(cpu));
}
