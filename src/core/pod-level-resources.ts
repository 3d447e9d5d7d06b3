/**
 * The resources that a pod's status reports for the pod as a whole.
 *
 * Before it runs, that is what its spec adds up to. While it runs, it is what the pod's own cgroup
 * says, as far as the runtime can read it; what it cannot read stays as it was reported last.
 */
import type { Pod, PodStatus } from '../api/pod.ts';
import type { ResourceRequirements } from '../api/resources.ts';
import type { RuntimeResources } from '../api/runtime-pod.ts';
import { resourcesInForce } from './container-resources.ts';
import { podLimits, podRequests } from './pod-resources.ts';

export function podLevelResources(
  pod: Pod,
  actual: RuntimeResources = {},
  old: PodStatus,
): ResourceRequirements {
  const granted = pod.spec.resources ?? {};
  if (pod.status?.phase !== 'Running') {
    return withoutEmpty({ ...granted, requests: podRequests(pod), limits: podLimits(pod) });
  }
  const { memory } = podRequests(pod);
  const reported = old.phase === 'Running' ? old.resources : undefined;
  // Memory requests are not written anywhere the runtime could read them back from.
  const { memoryRequest: _, ...readable } = actual;
  const inForce = resourcesInForce(
    {
      ...granted,
      requests: { ...(memory === undefined ? undefined : { memory }), ...granted.requests },
      limits: granted.limits ?? {},
    },
    readable,
    reported,
  );
  return withoutEmpty(inForce);
}

function withoutEmpty(resources: ResourceRequirements): ResourceRequirements {
  return Object.fromEntries(
    Object.entries(resources).filter(([, list]) => Object.keys(list ?? {}).length > 0),
  );
}
