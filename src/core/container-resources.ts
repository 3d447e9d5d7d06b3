/**
 * The resources that a container's status reports: what is in force for a running container, and
 * what was granted for any other.
 *
 * A runtime rounds small CPU values up to what the kernel can express. As long as both the granted
 * and the applied value are at or below that floor, the granted one is shown, or people would see
 * a difference that nobody asked for.
 */
import { quantityMilliValue } from '../api/quantity.ts';
import { readQuantity } from '../api/quantity-text.ts';
import type { Container, ContainerStatus } from '../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../api/resources.ts';
import type { RuntimeContainer, RuntimeResources } from '../api/runtime-pod.ts';

/** The smallest CPU request and limit, in thousandths, that Linux can express. */
const CPU_REQUEST_MILLI_MIN = 2n;
const CPU_LIMIT_MILLI_MIN = 10n;

export function containerResources(
  container: Container,
  observed: RuntimeContainer,
  old: ContainerStatus | undefined,
): ResourceRequirements {
  const granted = container.resources ?? {};
  if (observed.state !== 'running') return granted;
  // What was reported before stands in only for the same running container.
  const isSame = Boolean(old?.state?.running) && old?.containerID === observed.id;
  return resourcesInForce(granted, observed.resources ?? {}, isSame ? old?.resources : undefined);
}

export function resourcesInForce(
  granted: ResourceRequirements,
  actual: RuntimeResources,
  reported: ResourceRequirements | undefined,
): ResourceRequirements {
  const { requests, limits } = granted;
  return {
    ...granted,
    ...(limits && {
      limits: {
        ...limits,
        ...cpu(limits, actual.cpuLimit, reported?.limits, CPU_LIMIT_MILLI_MIN),
        ...memory(actual.memoryLimit, reported?.limits),
      },
    }),
    ...(requests && {
      requests: {
        ...requests,
        ...cpu(requests, actual.cpuRequest, reported?.requests, CPU_REQUEST_MILLI_MIN),
        ...memory(actual.memoryRequest, reported?.requests),
      },
    }),
  };
}

function cpu(
  granted: ResourceList,
  actual: string | undefined,
  reported: ResourceList | undefined,
  floorMilli: bigint,
): ResourceList {
  if (actual === undefined) return pick(reported, 'cpu');
  const isAboveFloor = [actual, granted['cpu'] ?? 0].some(
    (amount) => quantityMilliValue(readQuantity(amount)) > floorMilli,
  );
  return isAboveFloor ? { cpu: actual } : {};
}

function memory(actual: string | undefined, reported: ResourceList | undefined): ResourceList {
  return actual === undefined ? pick(reported, 'memory') : { memory: actual };
}

function pick(list: ResourceList | undefined, name: string): ResourceList {
  const amount = list?.[name];
  return amount === undefined ? {} : { [name]: amount };
}
