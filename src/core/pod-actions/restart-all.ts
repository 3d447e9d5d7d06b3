/**
 * Decides whether a pod restarts all of its containers in place (E-7): a container exited whose restart rule
 * restarts all containers of the pod in the same sandbox.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Pod, PodCondition, PodPhase, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { ALL_CONTAINERS_RESTARTING } from '../pod-status/condition-ownership.ts';
import { findStatus, initAndRegularContainers } from '../pod/pod-facts.ts';
import { restartsAllContainers } from './restart-policy.ts';
import { areContainersCleanedUp, findNewest } from '../pod/runtime-facts.ts';

/**
 * Has the restart begun? Either the condition is already true, or a container with such a rule exited. The
 * exit code may be in the runtime or in the old status; the status counts only if the runtime shows the
 * container as exited, as in the kubelet.
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

/** The condition AllContainersRestarting, only for pods with such a rule (SM-119). */
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
