/**
 * Computes `status.resources` of a pod: the resources of the pod as a whole.
 *
 * Before the pod runs, they are the sum of its spec. While it runs, they are those of the pod's cgroup, as
 * far as the runtime can read them, else the actuated ones (those that podkeep applied last, E-4), else those
 * that were reported last.
 *
 * Kubernetes' kubelet never changes the memory request in the status of a running pod again, not even after a
 * resize; podkeep does.
 */
import type { Container, Pod, PodStatus } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeResources } from '../../api/runtime-pod.ts';
import type { ActuatedResources } from '../pod-actions/plan.ts';
import { withActuatedValues, resourcesInForce } from './container-resources.ts';
import { initAndRegularContainers } from '../pod/pod-facts.ts';
import { podLimits, podRequests } from './pod-resources.ts';

export function podLevelResources(
  pod: Pod,
  actual: RuntimeResources = {},
  old: PodStatus,
  actuated?: ActuatedResources,
): ResourceRequirements {
  const granted = pod.spec.resources ?? {};
  if (pod.status?.phase !== 'Running') {
    return withoutEmpty({ ...granted, requests: podRequests(pod), limits: podLimits(pod) });
  }
  const { memory } = podRequests(pod);
  const reported = old.phase === 'Running' ? old.resources : undefined;
  // Memory requests are not written anywhere that the runtime could read.
  const { memoryRequest: _, ...readable } = actual;
  const inForce = resourcesInForce(
    {
      ...granted,
      requests: { ...(memory === undefined ? undefined : { memory }), ...granted.requests },
      limits: granted.limits ?? {},
    },
    actuated ? withActuatedValues(readable, actuatedByPod(pod, actuated)) : readable,
    reported,
  );
  return withoutEmpty(inForce);
}

/**
 * The pod's own actuated resources, or the sums of its containers'. A pod has a limit only if each of its
 * containers has one.
 */
function actuatedByPod(pod: Pod, actuated: ActuatedResources): ResourceRequirements {
  const withActuated = <T extends Container>(one: T): T => {
    const resources = actuated.containers.get(one.name);
    return resources ? { ...one, resources } : one;
  };
  const { resources: _, ...rest } = pod.spec;
  const { initContainers } = rest;
  const spec = {
    ...rest,
    ...(actuated.pod && { resources: actuated.pod }),
    containers: rest.containers.map(withActuated),
    ...(initContainers && { initContainers: initContainers.map(withActuated) }),
  };
  const limits = Object.entries(podLimits({ ...pod, spec })).filter(
    ([name]) =>
      actuated.pod?.limits?.[name] !== undefined ||
      initAndRegularContainers(spec).every(({ resources }) => resources?.limits?.[name]),
  );
  return { requests: podRequests({ ...pod, spec }), limits: Object.fromEntries(limits) };
}

function withoutEmpty(resources: ResourceRequirements): ResourceRequirements {
  return Object.fromEntries(
    Object.entries(resources).filter(([, list]) => Object.keys(list ?? {}).length > 0),
  );
}
