/**
 * Computes the resources in a container's status: the actual resources of a running container, and the
 * allocated resources of any other.
 *
 * A runtime rounds small CPU values up to what the kernel can express. As long as both the allocated and the
 * actual value are at or below that minimum, the allocated value is reported; otherwise users would see a
 * difference that they did not request.
 *
 * No runtime reports a memory request, because the kernel has no such setting. So the actuated memory request
 * (the one that podkeep applied last) is reported, and if the runtime reports nothing at all, all actuated
 * values (E-4).
 */
import { quantityMilliValue } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { Container, ContainerStatus } from '../../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeContainer, RuntimeResources } from '../../api/runtime-pod.ts';

/** The smallest CPU request and limit, in thousandths, that Linux can express. */
const CPU_REQUEST_MILLI_MIN = 2n;
const CPU_LIMIT_MILLI_MIN = 10n;

export function containerResources(
  container: Container,
  observed: RuntimeContainer,
  old: ContainerStatus | undefined,
  actuated?: ResourceRequirements,
): ResourceRequirements {
  const granted = container.resources ?? {};
  if (observed.state !== 'running') return granted;
  // The previous status counts only for the same running container.
  const isSame = Boolean(old?.state?.running) && old?.containerID === observed.id;
  const actual = withActuatedValues(observed.resources, actuated);
  return resourcesInForce(granted, actual, isSame ? old?.resources : undefined);
}

/** The values that the runtime reports, and the actuated resources where it reports none. */
export function withActuatedValues(
  reported: RuntimeResources = {},
  actuated: ResourceRequirements = {},
): RuntimeResources {
  const { requests, limits } = actuated;
  const isSilent = Object.keys(reported).length === 0;
  return {
    ...(isSilent && numberOf('cpuRequest', requests?.['cpu'])),
    ...(isSilent && numberOf('cpuLimit', limits?.['cpu'])),
    ...(isSilent && numberOf('memoryLimit', limits?.['memory'])),
    ...numberOf('memoryRequest', requests?.['memory']),
    ...reported,
  };
}

function numberOf(
  name: keyof RuntimeResources,
  amount: string | number | undefined,
): RuntimeResources {
  return amount === undefined ? {} : { [name]: String(amount) };
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
