/**
 * Restarting a whole pod in place (E-7): a container exited, and its rule says that all of the
 * pod's containers start over in the same sandbox.
 */
import { isConditionTrue } from '../api/condition.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../api/pod.ts';
import type { RuntimePod } from '../api/runtime-pod.ts';
import { ALL_CONTAINERS_RESTARTING } from './condition-ownership.ts';
import { findStatus, initAndRegularContainers } from './pod-facts.ts';
import { restartsAllContainers } from './restart-policy.ts';
import { areContainersCleanedUp, findNewest } from './runtime-facts.ts';

/**
 * Has it begun? Either the status says so already, or a container whose rule asks for it exited.
 * The status counts beside the runtime, because the container that asked may be removed already;
 * but only for a container that the runtime still shows as exited, as the kubelet has it.
 */
export function isRestartingAll(pod: Pod, runtime: RuntimePod, old: PodStatus): boolean {
  if (isConditionTrue(old.conditions, ALL_CONTAINERS_RESTARTING)) return true;
  return initAndRegularContainers(pod.spec).some((container) => {
    const newest = findNewest(runtime, container.name);
    if (newest?.state !== 'exited') return false;
    if (restartsAllContainers(container, newest.exitCode ?? 0)) return true;
    const status =
      findStatus(old.containerStatuses, container.name) ??
      findStatus(old.initContainerStatuses, container.name);
    const ended = status?.state?.terminated;
    return ended ? restartsAllContainers(container, ended.exitCode) : false;
  });
}

/** The condition AllContainersRestarting, for pods with such a rule only (SM-119). */
export function allContainersRestartingCondition(
  pod: Pod,
  runtime: RuntimePod,
  old: PodStatus,
  phase: PodPhase | undefined,
): PodCondition {
  const type = ALL_CONTAINERS_RESTARTING;
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  if (!isRestartingAll(pod, runtime, old) || areContainersCleanedUp(pod, runtime)) {
    return { type, status: 'False' };
  }
  return {
    type,
    status: 'True',
    reason: 'RestartAllContainersStarted',
    message: 'container exited with restart policy rule',
  };
}
